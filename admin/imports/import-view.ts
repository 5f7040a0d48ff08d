import { html, nothing, type TemplateResult } from 'lit-html';
import type { ImportWire } from '../../src/imports/import-api.ts';
import type { Answer, Dimensions } from '../api/wire.ts';
import { saveFile } from '../api/save-file.ts';
import { fieldChanges, type FieldChange } from '../bookings/field-changes.ts';
import type { Page, View } from '../page.ts';
import { figureList } from '../parts/figure-list.ts';
import { showApiKey } from '../parts/dialogs.ts';
import { button, card, crumbs, emptyState, pageHead, problemNote } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { actorName } from '../words/actor-name.ts';
import { moment } from '../words/dates.ts';
import { count } from '../words/formats.ts';
import { capital, kindNamed, linkTo, NAMES } from '../words/kinds.ts';
import { LEVELS, NOTE_LEVELS, SOURCES, type NoteLevel } from './import-words.ts';
import { t } from '../words/texts.ts';

const BACK = hashOf(['imports']);
/** Rows that are shown until all are asked for. */
const FEW = 10;

/** What an import would book, or has booked, and what is not as it was. */
export const openImport = async (page: Page, id: number): Promise<View> => {
  const read = await page.api.get('/imports/{id}', { id });
  if (!read.ok) {
    const { problem } = read;
    const rest =
      problem.status === 404
        ? emptyState(t`This import does not exist.`, { text: '', label: t`All imports`, hash: BACK })
        : problemNote(problem);
    return { title: t`Import`, section: 'imports', render: () => html`${pageHead(t`Import`, '')}${rest}` };
  }
  let now = read.value;
  let busy = '';
  const all = new Set<string>();

  const send = async (what: string, call: () => Promise<Answer<ImportWire>>): Promise<boolean> => {
    if (busy !== '') return false;
    busy = what;
    page.redraw();
    const answer = await call();
    busy = '';
    if (answer.ok) now = answer.value;
    else page.complain(answer.problem);
    page.redraw();
    return answer.ok;
  };
  const compare = async (): Promise<void> => {
    if (await send('compare', () => page.api.send('POST', '/imports/{id}/plan', { id }))) page.toast(t`Compared with what is booked now.`);
  };
  const apply = async (): Promise<void> => {
    if (!(await send('apply', () => page.api.send('POST', '/imports/{id}/apply', { id })))) return;
    page.toast(t`The import is booked.`, { tone: 'good' });
    await page.store.refresh();
    const { api_key: key, publisher_id: publisher } = now;
    if (key === undefined || publisher === null) return;
    await page.store.ensure('publishers', publisher);
    await showApiKey(page.store.find('publishers', publisher)?.name ?? '', key);
  };
  const discard = async (): Promise<void> => {
    const text = t`Nothing of it is booked. The file stays with you.`;
    if (!(await page.confirm({ title: t`Discard this import?`, text, yes: t`Discard` }))) return;
    const answer = await page.api.send('DELETE', '/imports/{id}', { id });
    if (!answer.ok) return page.complain(answer.problem);
    page.go(BACK);
  };
  const report = (format: 'md' | 'csv') => saveFile(page, page.api.file('/imports/{id}/report', { id, format }), `import_${id}.${format}`);
  const more = <T>(name: string, rows: readonly T[]): { readonly rows: readonly T[]; readonly button: TemplateResult | typeof nothing } => {
    const isAll = all.has(name) || rows.length <= FEW;
    const show = (): void => {
      all.add(name);
      page.redraw();
    };
    return {
      rows: isAll ? rows : rows.slice(0, FEW),
      button: isAll ? nothing : button(t`Show all ${count(rows.length)}`, show, 'secondary'),
    };
  };

  const actions = (): TemplateResult => {
    const reports = html`${button(t`Report`, () => report('md'), 'secondary')} ${button(t`Notes as CSV`, () => report('csv'), 'secondary')}`;
    if (now.applied_at !== null) return reports;
    return html`${reports} ${button(t`Discard`, discard, 'secondary')} ${button(t`Compare again`, compare, 'secondary')}
      <button type="button" aria-busy=${busy === 'apply' ? 'true' : 'false'} ?disabled=${busy !== ''} @click=${() => void apply()}>
        ${t`Book it`}
      </button>`;
  };
  return {
    title: now.file_name,
    section: 'imports',
    render: () => html`
      ${crumbs([[BACK, t`Imports`]], now.file_name)} ${pageHead(now.file_name, stateWords(now), actions())}
      ${now.applied_at === null ? nothing : nextSteps(now)}
      ${card(now.applied_at === null ? t`What it would book` : t`What it has booked`, whatItHas(now))}
      ${NOTE_LEVELS.map((level) => notesCard(level, now, more))} ${changesCard(now, more, page.store.dimensions())}
    `,
  };
};

const stateWords = ({
  source,
  applied_at: at,
  applied_by: by,
  created_at: read,
  created_by: reader,
  publisher_id: publisher,
}: ImportWire): string => {
  const { title } = SOURCES[source];
  if (at !== null) return t`From ${title}. Booked by ${actorName(by ?? '')} on ${moment(at)}.`;
  const into = publisher === null ? t`It makes a new publisher.` : '';
  return t`From ${title}, read by ${actorName(reader)} on ${moment(read)}. Nothing is booked yet. ${into}`;
};

const whatItHas = ({ records, plan, history_days: days }: ImportWire): TemplateResult => {
  const kept = Object.entries(records).filter(([, number]) => number > 0);
  const figures = [
    ...kept.map(([kind, number]) => [nameOf(kind), number] as const),
    ...(days > 0 ? [[t`Days of history`, days] as const] : []),
  ];
  return html`${figureList(figures.map(([name, number]) => [name, count(number)]))}
    <p>${t`${count(plan.create)} new, ${count(plan.update)} changed, ${count(plan.unchanged)} as they are booked already.`}</p>
    ${days > 0 ? html`<p class="muted">${t`History is what the other system has counted. It is shown apart, and is in no limit, budget or statement.`}</p>` : nothing}`;
};

const nameOf = (list: string): string => {
  const kind = (Object.keys(NAMES) as (keyof typeof NAMES)[]).find((one) => one === list);
  return kind ? capital(NAMES[kind].many) : list;
};

const nextSteps = ({ publisher_id: publisher, source }: ImportWire): TemplateResult =>
  html`<div class="note">
    <p>
      <a href=${hashOf(['campaigns'], { publisher })}>${t`See the campaigns`}</a>
    </p>
    ${
      source === 'revive'
        ? html`<p>${t`Let the host name of Revive's tags lead to this service: pages keep their tags, and the zones answer them.`}</p>`
        : nothing
    }
  </div>`;

type More = <T>(name: string, rows: readonly T[]) => { readonly rows: readonly T[]; readonly button: TemplateResult | typeof nothing };

const notesCard = (level: NoteLevel, { notes, notes_total: total }: ImportWire, more: More): TemplateResult | typeof nothing => {
  const own = notes.filter((note) => note.level === level);
  if (own.length === 0) return nothing;
  const { title, text, tone } = LEVELS[level];
  const shown = more(level, own);
  return card(
    title,
    html`<p>${text} ${notes.length < total ? t`These are of the first ${count(notes.length)} notes; the report has all.` : ''}</p>
      ${table({
        caption: title,
        rows: shown.rows,
        columns: [
          {
            label: t`Record`,
            cell: ({ kind, id, name }) => html`<strong>${capital(kind)} ${id}</strong>${name === '' ? nothing : html` ${name}`}`,
          },
          { label: t`Why`, prose: true, cell: ({ text: why }) => why },
        ],
      })}
      ${shown.button}`,
    html`<span class="pill ${tone}">${count(own.length)}</span>`,
  );
};

/** In a plan, null is the default. */
const withDefault = (change: FieldChange): FieldChange => ({
  ...change,
  before: change.before ?? t`the default`,
  after: change.after ?? t`the default`,
});

const changesCard = ({ plan, applied_at: at }: ImportWire, more: More, dimensions: Dimensions): TemplateResult | typeof nothing => {
  if (plan.changes.length === 0) return nothing;
  const shown = more('changes', plan.changes);
  const total = plan.create + plan.update;
  const title = at === null ? t`What changes` : t`What has changed`;
  return card(
    title,
    html`${total > plan.changes.length ? html`<p>${t`The first ${count(plan.changes.length)} of ${count(total)}.`}</p>` : nothing}
    ${table({
      caption: title,
      rows: shown.rows,
      columns: [
        {
          label: t`Record`,
          cell: ({ kind, id, name }) => {
            const known = kindNamed(kind);
            return at !== null && known ? html`<a class="name" href=${linkTo(known, id)}>${name}</a>` : html`<strong>${name}</strong>`;
          },
        },
        {
          label: t`Change`,
          cell: ({ action }) =>
            action === 'create' ? html`<span class="pill good">${t`new`}</span>` : html`<span class="pill calm">${t`changed`}</span>`,
        },
        { label: t`Fields`, prose: true, cell: ({ kind, fields }) => fieldChanges(kindNamed(kind), fields.map(withDefault), dimensions) },
      ],
    })}
    ${shown.button}`,
  );
};
