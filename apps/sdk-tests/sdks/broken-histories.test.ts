import { fromModelMessages, modelTarget, toModelMessages } from "@agent-history/ai-sdk";
import type { JsonObject } from "@agent-history/core";
import { fitForTarget } from "@agent-history/format-kit";
import { fitToWindow } from "@agent-history/reducer";
import { lawRuns } from "@agent-history/testkit";
import { tiktokenCounter } from "@agent-history/tokens";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import type { LanguageModel, ModelMessage } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import type { Wire } from "../src/servers/wire.ts";
import { modelBreakers, modelOf } from "../test-support/broken-model.ts";
import { arbitraryBroken, faultsOf, soundFaults } from "../test-support/judge-broken.ts";
import type { Sender } from "../test-support/judge-broken.ts";
import { arbitraryScript } from "../test-support/script.ts";
import { unrepaired } from "../test-support/unrepaired.ts";

export {};
