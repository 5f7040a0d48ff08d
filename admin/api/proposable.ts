/** A write as a bulk change and a proposal have it. */
export interface Operation {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly if_match?: string;
}

/** As many as a proposal has. */
const MAX_PROPOSED = 50;
/** Accepted, and undone because another write was refused. */
const UNDONE = 424;

/**
 * The write that was refused only because it needs a second person; of a bulk change its writes. Empty: that was not the reason.
 *
 * @param code of the problem
 * @param answer the whole problem
 */
export const proposableOf = (
  code: string,
  answer: unknown,
  method: string,
  path: string,
  asked: Readonly<Record<string, unknown>>,
): readonly Operation[] => {
  const { body, 'If-Match': ifMatch, 'Change-Note': _, ...parameters } = asked;
  if (code === 'approval_required') {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name])));
    return [{ method, path: filled, ...(body !== undefined && { body }), ...(ifMatch != null && { if_match: ifMatch }) } as Operation];
  }
  if (code !== 'bulk_refused') return [];
  const { results } = answer as { readonly results: readonly { readonly status: number; readonly body?: { readonly code?: string } }[] };
  const { operations } = body as { readonly operations: readonly Operation[] };
  const isProposable = results.every(({ status, body: why }) => status === UNDONE || why?.code === 'approval_required');
  return isProposable && operations.length <= MAX_PROPOSED ? operations : [];
};
