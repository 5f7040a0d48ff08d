import { html, nothing } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Kind } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { listed } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

type Other = Answered<'PUT', '/me/presence'>['others'][number];

/** Reports are kept for half a minute. */
const REPORT_MS = 10_000;
const SHARED: readonly Kind[] = ['campaigns', 'line_items', 'creatives'];

/** Who else has a record open, on its screen and its form. @param id undefined: it does not exist yet */
export const createOthersHere = (page: Page, kind: Kind, id: number | undefined) => {
  const { rights } = page;
  const isShared = id !== undefined && SHARED.includes(kind) && rights.me.kind === 'person' && rights.may('PUT', '/me/presence');
  let others: readonly Other[] = [];
  const report = async (): Promise<void> => {
    if (document.visibilityState !== 'visible' || id === undefined) return;
    const answer = await page.api.send('PUT', '/me/presence', { body: { kind: kind as 'campaigns', id } });
    const found = answer.ok ? answer.value.others : [];
    if (JSON.stringify(found) === JSON.stringify(others)) return;
    others = found;
    page.redraw();
  };
  const timer = isShared ? setInterval(() => void report(), REPORT_MS) : undefined;
  if (isShared) void report();
  return {
    /** The screen is left. */
    leave: () => clearInterval(timer),
    /** Nothing while no other person has the record open. */
    render: () =>
      others.length === 0
        ? nothing
        : html`<p class="others-here" role="status">
            <span class="pill calm">${listed(others.map(({ name }) => name))}</span>
            ${others.length === 1 ? t`has this open, too.` : t`have this open, too.`}
          </p>`,
  };
};
