type Child = Node | string | undefined | false;

/** Creates an element. Texts stay texts: a page may enforce Trusted Types. */
export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | (() => void)>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') element.setAttribute(name, value);
    else element.addEventListener(name, value);
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return element;
};

export const button = (label: string, onClick: () => void, attributes: Readonly<Record<string, string>> = {}): HTMLButtonElement =>
  h('button', { type: 'button', ...attributes, click: onClick }, label);

/** A titled part of the panel; nothing without content. */
export const section = (title: string, ...children: readonly Child[]): HTMLElement | undefined =>
  children.some(Boolean) ? h('section', {}, h('h3', {}, title), ...children) : undefined;

/** Names and values; rows without a value are left out. */
export const facts = (rows: Readonly<Record<string, Child>>): HTMLElement =>
  h('dl', {}, ...Object.entries(rows).flatMap(([name, value]) => (value ? [h('dt', {}, name), h('dd', {}, value)] : [])));

export const list = (items: readonly Child[]): HTMLElement | false =>
  items.length > 0 && h('ul', {}, ...items.map((item) => h('li', {}, item)));

/** `9.7 ms`, `35 ms` or `1.1 s`. */
export const duration = (ms: number): string => {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
};
