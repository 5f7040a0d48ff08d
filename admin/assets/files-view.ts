import { html, nothing, type TemplateResult } from 'lit-html';
import { whenNear } from '../bookings/lists/when-near.ts';
import type { Page, View } from '../page.ts';
import { button, emptyState, loading, pageHead, problemNote } from '../parts/parts.ts';
import { table, type Column } from '../parts/table.ts';
import { thumbnail } from '../parts/thumbnail.ts';
import type { AssetWire } from '../../src/assets/asset-api.ts';
import type { Problem } from '../api/wire.ts';
import { assetFacts, assetPath, isHtml5 } from '../words/asset-words.ts';
import { moment } from '../words/dates.ts';
import { counted, linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';

const PAGE_SIZE = 100;

/** The uploaded files, newest first. Those that no creative uses can be deleted. */
export const openFiles = (page: Page): View => {
  const { api, store } = page;
  let files: readonly AssetWire[] | undefined;
  let total = 0;
  let problem: Problem | undefined;
  let isReading = false;

  const readMore = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    const had = files ?? [];
    const answer = await api.get('/assets', { include: 'uses', limit: PAGE_SIZE, offset: had.length });
    isReading = false;
    problem = answer.ok ? undefined : answer.problem;
    if (answer.ok) {
      files = [...had, ...answer.value];
      total = answer.total ?? files.length;
      problem = await store.ensure('publishers', ...answer.value.flatMap(({ publisher_id }) => publisher_id ?? []));
    }
    page.redraw();
  };
  void readMore();

  const columns: readonly Column<AssetWire>[] = [
    {
      label: t`File`,
      cell: (file) =>
        html`<span class="pictured"
          >${thumbnail(isHtml5(file) ? 'HTML5' : { path: assetPath(file) })}<a
            class="name"
            href=${assetPath(file)}
            target="_blank"
            rel="noreferrer"
            >${file.name || `${file.sha256.slice(0, 12)}…`}</a
          ></span
        >`,
    },
    { label: t`Size`, cell: assetFacts },
    { label: t`Publisher`, cell: ({ publisher_id }) => store.find('publishers', publisher_id)?.name ?? '–' },
    { label: t`Used by`, cell: usedBy },
    { label: t`Uploaded`, cell: ({ created_at }) => moment(created_at), minor: true },
  ];
  const remove = async (file: AssetWire): Promise<void> => {
    const title = file.name || file.sha256;
    const text = t`No creative uses it. This cannot be undone.`;
    if (!(await page.confirm({ title: t`Delete file “${title}”?`, text, yes: t`Delete`, dangerous: true }))) return;
    const answer = await api.send('DELETE', '/assets/{sha256}', { sha256: file.sha256 });
    if (answer.ok) {
      page.toast(t`File “${title}” was deleted.`);
      files = files?.filter(({ sha256 }) => sha256 !== file.sha256);
      total--;
    } else page.complain(answer.problem);
    page.redraw();
  };
  const actions = (file: AssetWire): TemplateResult =>
    file.used_by?.total === 0 && page.rights.may('DELETE', '/assets/{sha256}')
      ? button(t`Delete`, () => remove(file), 'quiet danger-text', t`Delete ${file.name || file.sha256}`)
      : html``;
  const list = (rows: readonly AssetWire[]): TemplateResult =>
    rows.length === 0
      ? emptyState(t`No file has been uploaded yet. Drop one on the form of a creative.`)
      : html`<p class="figure" role="status">${counted(total, 'file')}</p>
          ${table({ caption: t`Files`, rows, columns, actions })}
          ${rows.length < total ? html`<p class="more" ${whenNear(readMore)}>${button(t`Show more`, readMore, 'secondary')}</p>` : nothing}`;

  return {
    title: t`Files`,
    section: 'files',
    render: () => html`
      ${pageHead(t`Files`, t`Pictures and HTML5 ads that were dropped on the form of a creative. What no creative uses can be deleted.`)}
      ${problem ? problemNote(problem) : nothing} ${files ? list(files) : problem ? nothing : loading()}
    `,
  };
};

const usedBy = ({ used_by }: AssetWire): TemplateResult | string => {
  if (!used_by?.first) return '–';
  const { id, name } = used_by.first;
  const others = used_by.total - 1;
  return html`<a href=${linkTo('creatives', id)}>${name || t`Creative ${id}`}</a>${others > 0 ? t` and ${others} more` : ''}`;
};
