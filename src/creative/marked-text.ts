/** What marks in a text the place of the token of a showing, and for the id of the token. */
export interface Marks {
  readonly token: string;
  readonly tokenId: string;
}

/**
 * A text in the parts between its marks, which is composed once and filled for each showing. Marks, tokens and ids consist of
 * characters that HTML, XML, URLs and JSON spell as they are.
 */
export interface MarkedText {
  readonly first: string;
  readonly parts: readonly Part[];
  /** In characters, without the marks. */
  readonly length: number;
}

/** Text that follows the token or its id. */
interface Part {
  readonly isAfterToken: boolean;
  readonly text: string;
}

/** @param mark random letters and digits, which no creative contains */
export const marksOf = (mark: string): Marks => ({ token: `${mark}T`, tokenId: `${mark}I` });

export const splitAtMarks = (text: string, mark: string): MarkedText => {
  const [first = '', ...marked] = text.split(mark);
  const parts = marked.map((part) => ({ isAfterToken: part.startsWith('T'), text: part.slice(1) }));
  return { first, parts, length: parts.reduce((sum, part) => sum + part.text.length, first.length) };
};

export const fillMarks = ({ first, parts }: MarkedText, token: string, tokenId: string): string => {
  let text = first;
  for (const part of parts) text += (part.isAfterToken ? token : tokenId) + part.text;
  return text;
};
