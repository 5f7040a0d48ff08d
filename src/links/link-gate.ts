import type { RequestHandler } from 'express';
import { outsideCaller } from '../access/caller.ts';
import { letIn } from '../api/call-rights.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';

/**
 * Lets in everyone who has a link, for what it shows and nothing else. The token is sent as a bearer token, so that no log of
 * addresses has it.
 *
 * @param words in the audit trail: `report link`
 */
export const linkGate =
  <L extends { readonly id: number }>(
    words: string,
    use: (token: string) => Promise<L | undefined>,
    serve: (link: L) => RequestHandler,
  ): RequestHandler =>
  async (req, res, next) => {
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const token = /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const link = await use(token);
    if (!link) return sendProblem(res, problem('invalid_link', 'The link has ended or is not valid. Ask for a new one.'));
    letIn(res, outsideCaller(`${words} ${link.id}`));
    await serve(link)(req, res, next);
  };
