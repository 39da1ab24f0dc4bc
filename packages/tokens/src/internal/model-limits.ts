// Written by scripts/generate-model-limits.ts from @earendil-works/pi-ai 1.5.2 on 2026-11-27.

/**
 * Window, longest answer and, where it differs, the smallest window that a gateway or a cloud serves; then the models that have them.
 * Corrections stand in the script.
 */
export const MODEL_LIMITS: string = `
1050000 128000 gpt-5.4 gpt-5.4-pro gpt-5.5 gpt-5.5-pro gpt-5.6-luna gpt-5.6-luna-pro gpt-5.6-sol
gpt-5.6-sol-pro gpt-5.6-terra gpt-5.6-terra-pro gpt-6-astra gpt-6-astra-pro gpt-6-luna
gpt-6-luna-pro gpt-6-sol gpt-6-sol-pro gpt-6.1-sol gpt-6.1-sol-pro gpt-6.1-terra gpt-6.1-terra-pro
gpt-6.2-astra
400000 128000 chat-latest gpt-5 gpt-5-codex gpt-5-mini gpt-5-nano gpt-5.1 gpt-5.1-codex
gpt-5.1-codex-max gpt-5.1-codex-mini gpt-5.1-thinking gpt-5.2 gpt-5.2-codex gpt-5.2-pro
gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano gpt-5.6-cyber
262144 262144 devstral-2512 devstral-latest devstral-medium-latest kimi-k2.6 kimi-k2.7-code
ministral-14b-2512 ministral-8b-2512 mistral-large-2512 mistral-large-latest mistral-medium-2508
mistral-medium-2604 mistral-medium-3.5 mistral-medium-latest nemotron-3.5-lightning-30b-a3b
qwen3-next-80b-a3b-thinking
1000000 128000 claude-fable-5 claude-fable-5-1 claude-fable-5-2 claude-haiku-5-5 claude-mythos-5
claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-4-6
claude-sonnet-5 claude-sonnet-5-5
262144 65536 kimi-k2-0905 kimi-k2-thinking nemotron-3-nano-30b-a3b nemotron-3.5-lightning
qwen3-30b-a3b-instruct-2507 qwen3-coder qwen3-coder-next qwen3.5-122b-a10b qwen3.5-27b
qwen3.5-35b-a3b qwen3.5-9b qwen3.5-plus qwen3.6-35b-a3b
131072 32768 glm-4.5 glm-4.5-air glm-4.6v glm-4.6v-flash glm-4.7-flash gpt-oss-120b gpt-oss-20b
kimi-k2 llama-3.3-70b-versatile mistral-large-2407 mistral-medium-3 mistral-medium-3.1
qwen3-235b-a22b-2507
1048576 65536 gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro gemini-3-flash-preview
gemini-3.1-flash-lite gemini-3.1-pro gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash
gemini-3.7-flash gemini-3.8-flash gemini-4-argon
128000 4096 gpt-4-turbo gpt-4o-2024-05-13 llama-3.1-405b llama-3.1-70b llama-3.1-8b llama3-3-70b
ministral-3-14b ministral-3-8b
262144 16384 kimi-k2-instruct-0905 magistral-medium-latest nemotron-3-super-120b-a12b qwen-3-235b
qwen3-235b-a22b-instruct-2507 qwen3-next-80b-a3b
128000 16384 chatgpt-4o gpt-4o gpt-4o-mini gpt-5-chat mistral-small-2506
qwen3-235b-a22b-thinking-2507
200000 100000 o1 o1-pro o3 o3-mini o3-pro o4-mini
1000000 65536 qwen3-coder-flash qwen3.5-flash-02-23 qwen3.5-plus-02-15 qwen3.5-plus-20260420
qwen3.6-flash qwen3.7-flash
2000000 2000000 grok-4.20-multi-agent grok-4.20-multi-agent-beta grok-4.20-non-reasoning
grok-4.20-non-reasoning-beta grok-4.20-reasoning grok-4.20-reasoning-beta
200000 64000 claude-3-7-sonnet claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-20250514
claude-sonnet-4-5
1000000 131072 glm-5.3 glm-5.3-prime qwen3.7-max qwen3.8-flash qwen3.8-max-prime
128000 32000 deepseek-chat-v3-0324 gpt-5.2-chat gpt-5.3-codex-spark mistral-large
mistral-small-3.1-24b
1048576 131072 muse-spark-1.1 muse-spark-1.2 muse-spark-1.3 muse-spark-open muse-wonder-1.0
131072 8192 deepseek-v3.1 gemma-4-e2b nemotron-nano-12b-v2 nemotron-nano-9b-v2
202752 50688 glm-4.6 glm-5 glm-5.1 glm-5v-turbo
1048576 262144 mistral-large-4-0 mistral-large-4-0-8 muse-ember muse-wonder
262144 256000 ministral-14b mistral-large-3 mistral-small-2603 mistral-small-latest
500000 500000 grok-4.5 grok-4.6 grok-4.7
262144 32768 gemma-4-26b-a4b gemma-4-31b kimi-for-coding
262144 8192 devstral-2-123b mistral-large-3-675b nemotron-nano-3-30b
256000 8192 codestral-2508 command-a ministral-3-3b
32768 8192 mistral-saba mistral-small-3.2-24b voxtral-small-24b-2507
1047576 32768 gpt-4.1 gpt-4.1-mini gpt-4.1-nano
1048576 262144 1000000 deepseek-v4-flash-0731 deepseek-v4-pro-0813 deepseek-v4.1-flash-1017
128000 4000 command-r-08-2024 command-r-plus-08-2024 command-r7b-12-2024
163840 40960 deepseek-chat-v3.1 deepseek-v3.1-terminus deepseek-v3.2-exp
300000 10000 nova-lite nova-pro
1048576 1048576 1000000 kimi-k3 kimi-k3.1-pro
65536 16384 glm-4.5v minimax-m2.5
256000 4096 codestral-latest kimi-k2.5
262144 131072 nemotron-super-3-120b qwen-max-latest
32768 16384 qwen3-14b qwen3-32b
204800 131072 glm-4.7 minimax-m2.1-lightning
1000000 384000 deepseek-flash deepseek-v4-pro
1000000 131072 262144 glm-5.2 qwen3.8-max
262144 65536 131072 qwen3.6-27b qwen3.8-27b
40960 16384 qwen-3-30b qwen3-235b-a22b
256000 64000 grok-build-0.1 qwen3.5-397b-a17b
131072 131072 ministral-3b-2512 mistral-medium-2505
128000 128000 open-mistral-nemo pixtral-12b
32768 32000 voxtral-small-2507 voxtral-small-latest
131072 16384 mistral-nemo muse-glimmer-30b
1000000 65536 262144 qwen3.6-plus qwen3.7-plus
200000 32000 claude-opus-4 claude-opus-4-1
16385 4096 gpt-3.5-turbo gpt-3.5-turbo-16k
262144 4000 ministral-8b mistral-small
200000 8192 claude-3-5-haiku claude-3-5-sonnet
200000 4096 claude-3-haiku claude-3-opus
1000000 65535 nova-2-lite
128000 10000 nova-micro
128000 8192 pixtral-large-2502
1048576 1048576 kimi-k3.1
204608 128000 minimax-m2
196608 131072 minimax-m2.1
128000 40000 magistral-small-2509
32768 4096 voxtral-mini-3b-2507
131072 65536 qwen3-coder-480b-a35b
1000000 10000 nova-premier
1000000 30000 grok-4.3
8192 8192 gpt-4
400000 272000 gpt-5-pro
1048576 262144 200000 deepseek-v4.1-flash
1000000 131072 200000 glm-5.3-flash
24000 24000 llama-3.3-70b-instruct-fp8
131000 16384 llama-4-scout-17b-16e
256000 256000 nemotron-3-120b-a12b
40960 10240 32768 qwen3-30b-a3b
1000000 524288 512000 minimax-m3
1000000 524288 262144 minimax-m3.1-flash
1048576 131072 262144 qwen3.8-2.4t-a95b
64000 32768 deepseek-r1
163840 32768 deepseek-r1-0528
64000 8192 deepseek-v3
163840 163840 deepseek-v3-0324
163840 40960 128000 deepseek-v3.2
1048575 262143 1000000 deepseek-v4-flash
1000000 80000 minimax-m1-80k
204800 131072 196608 minimax-m2.7
40960 32768 qwen3-8b
1048576 524288 muse-ember-1.0
131072 128000 ministral-3b-latest
262144 128000 ministral-8b-latest
1048576 262144 524288 mistral-large-4
65536 65536 mistral-7b-instruct-v0.3
1000000 65536 202800 nemotron-3-ultra-550b-a55b
1000000 65000 gemini-3-flash
192000 48000 command-a-plus
1000000 8192 128000 llama-4-maverick
10000000 8192 128000 llama-4-scout
4095 1023 gpt-3.5-turbo-0613
1000000 32768 qwen-plus
2000000 500000 grok-4.20
200000 131072 glm-5-turbo
1048576 131072 1000000 glm-5.3-flashx
256000 65536 qwen3-max-thinking
1000000 64000 qwen3.5-flash
128000 8000 deepseek-v3.2-thinking
131072 4000 ministral-3b
200000 128000 glm-4.7-flashx
1000000 384000 163840 deepseek-chat
1000000 384000 128000 deepseek-reasoner
`;
