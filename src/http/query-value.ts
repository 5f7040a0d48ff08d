import type { Request } from 'express';

/** The value of a query parameter that must be given once: undefined when it is missing or repeated. */
export const queryValue = (req: Request, name: string): string | undefined => {
  const at = req.url.indexOf('?');
  if (at < 0) return undefined;
  const values = new URLSearchParams(req.url.slice(at + 1)).getAll(name);
  return values.length === 1 ? values[0] : undefined;
};
