import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import { pill } from '../parts/parts.ts';
import { table, unbroken } from '../parts/table.ts';
import { moment } from '../words/dates.ts';
import { t } from '../words/texts.ts';

export type Session = Answered<'GET', '/me/sessions'>[number];

const METHOD_WORDS: Readonly<Record<string, string>> = { password: t`password`, passkey: t`passkey`, link: t`link` };
const methodWords = (method: string): string => METHOD_WORDS[method] ?? t`provider ${method.replace(/^oidc:/, '')}`;

/** Where someone is signed in. @param currentId the session of this page; null: of none */
export const sessionsTable = (
  rows: readonly Session[],
  currentId: number | null,
  actions?: (session: Session) => TemplateResult,
): TemplateResult =>
  table({
    caption: t`Sessions`,
    rows,
    columns: [
      {
        label: t`Browser`,
        cell: ({ id, device, user_agent: agent, method }) =>
          html`<strong title=${agent}>${device}</strong> ${id === currentId ? pill('live', t`this one`) : ''}<br /><small class="muted"
              >${t`by ${methodWords(method)}`}</small
            >`,
      },
      { label: t`From`, cell: ({ network, place }) => unbroken([network, place].filter(Boolean).join(' · ') || t`unknown`) },
      { label: t`Last used`, cell: ({ last_used_at: at }) => unbroken(moment(at)) },
      { label: t`Ends`, cell: ({ expires_at: at }) => unbroken(moment(at)), wide: true },
    ],
    ...(actions && { actions }),
  });
