import DefaultTheme from "vitepress/theme";
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from "vue";

// oxlint-disable-next-line import/no-unassigned-import -- a style has no name
import "./playground.css";

/** The playground, which is drawn by a library of its own once the page is in a browser. */
const Playground = defineComponent(() => {
  const place = ref<HTMLElement>();
  let leave: (() => void) | undefined;
  onMounted(async () => {
    const { drawPlayground } = await import("../../playground/playground.tsx");
    if (place.value !== undefined) leave = drawPlayground(place.value);
  });
  onBeforeUnmount(() => leave?.());
  return () => h("div", { ref: place, class: "playground" });
});

// oxlint-disable-next-line import/no-default-export -- VitePress reads a theme so.
export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }: Parameters<NonNullable<typeof DefaultTheme.enhanceApp>>[0]) => {
    app.component("Playground", Playground);
  },
};
