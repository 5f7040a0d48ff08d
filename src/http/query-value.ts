import type { Request } from 'express';

/** The value of a query parameter that must be given once: undefined when it is missing or repeated. */
export const queryValue = (req: Request, name: string): string | undefined => {
  const at = req.url.indexOf('?');
  if (at < 0) return undefined;
  const query = req.url.slice(at + 1);
  // A tracking URL as it was handed out; reading it in full takes ten times as long.
  if (query.startsWith(`${name}=`) && !/[&%+#]/.test(query)) return query.slice(name.length + 1);
  const values = new URLSearchParams(query).getAll(name);
  return values.length === 1 ? values[0] : undefined;
};
