import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import { pill } from '../parts/parts.ts';
import { table, unbroken } from '../parts/table.ts';
import { moment } from '../words/dates.ts';

export type Session = Answered<'GET', '/me/sessions'>[number];

const METHOD_WORDS: Readonly<Record<string, string>> = { password: 'password', passkey: 'passkey', link: 'link' };
const methodWords = (method: string): string => METHOD_WORDS[method] ?? `provider ${method.replace(/^oidc:/, '')}`;

/** Where someone is signed in. @param currentId the session of this page; null: of none */
export const sessionsTable = (
  rows: readonly Session[],
  currentId: number | null,
  actions?: (session: Session) => TemplateResult,
): TemplateResult =>
  table({
    caption: 'Sessions',
    rows,
    columns: [
      {
        label: 'Browser',
        cell: ({ id, device, user_agent: agent }) =>
          html`<strong title=${agent}>${device}</strong> ${id === currentId ? pill('live', 'this one') : ''}`,
      },
      { label: 'From', cell: ({ network, place }) => [network, place].filter(Boolean).join(' · ') || 'unknown' },
      { label: 'Signed in by', cell: ({ method }) => methodWords(method), minor: true },
      { label: 'Last used', cell: ({ last_used_at: at }) => unbroken(moment(at)) },
      { label: 'Ends', cell: ({ expires_at: at }) => unbroken(moment(at)), wide: true },
    ],
    ...(actions && { actions }),
  });
