export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const unescape = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string) =>
    code === undefined ? (NAMED[name] ?? whole) : String.fromCodePoint(Number(code)),
  );

/**
 * The tags of a fragment and the text between them, by the states of the HTML tokenizer that quoted
 * attributes pass through (tag open, tag name, before attribute name, attribute name, before and in
 * the double-quoted value). Throws on every such parse error.
 */
export const tagsOf = (html: string): { readonly tags: readonly Tag[]; readonly text: string } => {
  const tags: Tag[] = [];
  let text = '';
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(html);
    if (found === null) throw new Error(`parse error at ${at}: ${html.slice(at, at + 40)}`);
    at += found[0].length;
    return found[0];
  };
  while (at < html.length) {
    if (html[at] !== '<') {
      text += html[at++];
      continue;
    }
    const name = take(/<\/?[a-z]+/gy).slice(1);
    const attributes: Record<string, string> = {};
    while (html[at] !== '>') {
      take(/[ ]/gy);
      const key = take(/[^\s"'<>/=\0]+/gy);
      if (key in attributes) throw new Error(`attribute ${key} twice`);
      attributes[key] = unescape(take(/="[^"\0]*"/gy).slice(2, -1));
    }
    at++;
    tags.push({ name, attributes });
  }
  return { tags, text: unescape(text) };
};
