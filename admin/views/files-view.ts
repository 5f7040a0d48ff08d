import { html, type TemplateResult } from 'lit-html';
import type { Page, View } from '../page.ts';
import { button, emptyState, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { table, type Column } from '../parts/table.ts';
import { thumbnail } from '../parts/thumbnail.ts';
import type { AssetWire, CreativeWire } from '../service/wire.ts';
import { assetFacts, assetPath, isHtml5 } from '../words/asset-words.ts';
import { moment } from '../words/formats.ts';
import { counted, linkTo, titleOf } from '../words/kinds.ts';

const MAX_SHOWN = 1_000;

/** The uploaded files, newest first. Those that no creative uses can be deleted. */
export const openFiles = (page: Page): View => {
  const { api, store } = page;
  const files = createReading<readonly AssetWire[]>(page, () => `/assets?limit=${MAX_SHOWN}`, { keep: true });
  const usersOf = ({ sha256 }: AssetWire) => (store.wanted('creatives', '')?.rows ?? []).filter(({ content }) => content.includes(sha256));
  const publisherOf = (id: number | null): string => (store.wanted('publishers', '') && store.find('publishers', id)?.name) ?? '–';

  const columns: readonly Column<AssetWire>[] = [
    {
      label: 'File',
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
    { label: 'Size', cell: assetFacts },
    { label: 'Publisher', cell: ({ publisher_id }) => publisherOf(publisher_id) },
    { label: 'Used by', cell: (file) => usedBy(usersOf(file)) },
    { label: 'Uploaded', cell: ({ created_at }) => moment(created_at), minor: true },
  ];
  const remove = async (file: AssetWire): Promise<void> => {
    const title = file.name || file.sha256;
    const text = 'No creative uses it. This cannot be undone.';
    if (!(await page.confirm({ title: `Delete file “${title}”?`, text, yes: 'Delete', dangerous: true }))) return;
    const answer = await api.send('DELETE', `/assets/${file.sha256}`);
    if (answer.ok) page.toast(`File “${title}” was deleted.`);
    else page.complain(answer.problem);
    await files.load();
  };
  const actions = (file: AssetWire): TemplateResult =>
    usersOf(file).length > 0 ? html`` : button('Delete', () => remove(file), 'quiet danger-text', `Delete ${file.name || file.sha256}`);

  return {
    title: 'Files',
    section: 'files',
    render: () => html`
      ${pageHead('Files', 'Pictures and HTML5 ads that were dropped on the form of a creative. What no creative uses can be deleted.')}
      ${files.render((rows) =>
        rows.length === 0
          ? emptyState('No file has been uploaded yet. Drop one on the form of a creative.')
          : html`${table({ caption: 'Files', rows, columns, actions })}
            ${rows.length < MAX_SHOWN ? '' : html`<p class="help">The newest ${counted(MAX_SHOWN, 'file')} are shown.</p>`}`,
      )}
    `,
  };
};

const usedBy = ([first, ...others]: readonly CreativeWire[]): TemplateResult | string => {
  if (!first) return '–';
  return html`<a href=${linkTo('creatives', first.id)}>${titleOf('creatives', first)}</a
    >${others.length > 0 ? ` and ${others.length} more` : ''}`;
};
