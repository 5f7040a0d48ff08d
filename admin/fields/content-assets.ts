import { textOf } from '../forms/typed-text.ts';

/** The assets of a banner or native creative, by name. */
export type Assets = Readonly<Record<string, unknown>>;

/**
 * The content as an object; undefined when it is not a JSON object. Empty text is an empty object.
 */
export const assetsOf = (content: unknown): Assets | undefined => {
  const text = textOf(content).trim();
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Assets) : undefined;
  } catch {
    // Usually JSON that is being typed: the form shows it as text.
    return undefined;
  }
};

/** The content with one asset changed; an empty asset is removed. */
export const withAsset = (content: unknown, name: string, value: unknown): string => {
  const { [name]: _, ...others } = assetsOf(content) ?? {};
  const isEmpty = value === '' || value === undefined || (Array.isArray(value) && value.length === 0);
  return JSON.stringify(isEmpty ? others : { ...assetsOf(content), [name]: value }, undefined, 2);
};
