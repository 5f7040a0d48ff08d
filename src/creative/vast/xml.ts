/** An element of a document; text or elements. */
export interface XmlElement {
  readonly name: string;
  /** undefined ones are left out. */
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly content: string | readonly XmlElement[];
}

/** What an element may contain, in this order, and its attributes; what is not named is left out. */
export interface ElementRule {
  readonly children?: readonly string[];
  readonly attributes?: readonly string[];
}

export type ElementRules = Readonly<Record<string, ElementRule>>;

export const element = (
  name: string,
  content: XmlElement['content'] | undefined,
  attributes: XmlElement['attributes'] = {},
): readonly XmlElement[] => (content === undefined ? [] : [{ name, attributes, content }]);

/** XML 1.0, production 2: other characters occur in no document. */
const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeAttribute = (text: string): string => text.replace(NOT_XML, '').replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

/** As CDATA, as players that read addresses leniently expect them. */
const asData = (text: string): string => `<![CDATA[${text.replace(NOT_XML, '').replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;

/** Writes an element with the children and attributes that the rules have, in their order. An element without rules has text and no attribute. */
export const writeXml = ({ name, attributes, content }: XmlElement, rules: ElementRules): string => {
  const { children = [], attributes: known = [] } = rules[name] ?? {};
  let open = `<${name}`;
  for (const attribute of known) {
    const value = attributes[attribute];
    if (value !== undefined) open += ` ${attribute}="${escapeAttribute(String(value))}"`;
  }
  if (typeof content === 'string') return `${open}>${asData(content)}</${name}>`;
  let inner = '';
  for (const child of children) for (const one of content) if (one.name === child) inner += writeXml(one, rules);
  return inner === '' ? `${open}/>` : `${open}>${inner}</${name}>`;
};
