import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import type { Comment, Commented } from '../../src/bookings/comment-store.ts';
import type { Answered } from '../api/api.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { actorName } from '../words/actor-name.ts';
import { date, moment } from '../words/dates.ts';
import { t } from '../words/texts.ts';

type Reader = Answered<'GET', '/campaigns/{id}/readers'>[number];

/** Names offered for what is typed behind @. */
const MAX_OFFERED = 6;

/** What staff have written about a record, and a field to write more. @param onChange after a comment was added or deleted */
export const createCommentsCard = (
  page: Page,
  of: Commented,
  id: number,
  onChange: () => void = () => undefined,
): (() => TemplateResult | typeof nothing) => {
  const path = `/${of}/{id}/comments` as const;
  const { rights } = page;
  const comments = createReading(page, (api) => api.get(path, { id }), { keep: true, may: rights.may('GET', path) });
  const readersPath = `/${of}/{id}/readers` as const;
  let readers: readonly Reader[] = [];
  if (rights.may('GET', readersPath))
    void page.api.get(readersPath, { id }).then((answer) => {
      if (answer.ok) readers = answer.value;
    });
  let typed = '';
  /** Of a note on the charts; '': of none. */
  let day = '';
  let sending = false;

  const add = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (typed.trim() === '' || sending) return;
    sending = true;
    const answer = await page.api.send('POST', path, { id, body: { text: typed, day: day === '' ? null : day } });
    sending = false;
    // What was typed stays until it is stored.
    if (!answer.ok) return page.complain(answer.problem);
    typed = '';
    day = '';
    await comments.load();
    onChange();
  };
  const remove = async (comment: Comment): Promise<void> => {
    const answer = await page.api.send('DELETE', '/comments/{id}', { id: comment.id });
    if (!answer.ok) page.complain(answer.problem);
    await comments.load();
    onChange();
  };

  /** Who is meant by the @ at the end of what is typed. */
  const offered = (): readonly Reader[] => {
    const [, begun] = /(?:^|\s)@([^@]{0,40})$/.exec(typed) ?? [];
    if (begun === undefined) return [];
    const words = begun.toLowerCase();
    return readers.filter(({ name, email }) => [name, email].some((one) => one.toLowerCase().startsWith(words))).slice(0, MAX_OFFERED);
  };
  const mention = ({ name }: Reader): void => {
    typed = `${typed.replace(/@[^@]*$/, '')}@${name} `;
    page.redraw();
    document.getElementById('comment')?.focus();
  };
  const offers = (): TemplateResult | typeof nothing => {
    const found = offered();
    return found.length === 0
      ? nothing
      : html`<p class="mention-offers" aria-label=${t`Mention`}>
          ${found.map((reader) => button(`@${reader.name}`, () => mention(reader), 'quiet', t`Mention ${reader.name}`))}
        </p>`;
  };

  const form = (): TemplateResult =>
    html`<form class="comment-form" @submit=${add}>
      <label class="unseen" for="comment">${t`Comment`}</label>
      <textarea
        id="comment"
        rows="2"
        maxlength="4000"
        placeholder=${t`For colleagues: what was agreed, what was tried … @ mentions someone`}
        .value=${live(typed)}
        @input=${(event: InputEvent) => {
          typed = (event.target as HTMLTextAreaElement).value;
          page.redraw();
        }}
      ></textarea>
      ${offers()}
      <label class="comment-day" title=${t`A comment with a day is a note on the chart of the flight`}
        ><span>${t`Day on the chart`}</span>
        <input type="date" .value=${live(day)} @change=${(event: Event) => (day = (event.target as HTMLInputElement).value)}
      /></label>
      <button type="submit" class="secondary">${t`Add`}</button>
    </form>`;
  const list = (): TemplateResult =>
    html`${comments.render((rows) =>
      rows.length === 0
        ? html`${rights.may('POST', path) ? nothing : html`<p class="muted">${t`None yet.`}</p>`}`
        : html`<ul class="comments">
            ${rows.map(
              (row) =>
                html`<li>
                  <p class="muted">
                    <b>${actorName(row.actor)}</b>, ${moment(row.at)} ${row.day === null ? nothing : t`· about ${date(row.day)}`}
                    ${rights.may('DELETE', '/comments/{id}') ? button(t`Delete`, () => remove(row), 'quiet', t`Delete the comment of ${actorName(row.actor)}`) : nothing}
                  </p>
                  <p class="comment-text">${row.text}</p>
                </li>`,
            )}
          </ul>`,
    )}`;

  if (!rights.may('GET', path)) return () => nothing;
  return () => card(t`Comments`, html`${rights.may('POST', path) ? form() : nothing} ${list()}`);
};
