import { html, render } from 'lit-html';
import { createApi } from './service/api.ts';
import './charts/chart.ts';
import { askQuestion, askToken } from './parts/dialogs.ts';
import type { Page, View } from './page.ts';
import { loading, problemNote } from './parts/parts.ts';
import './preview/ad-preview.ts';
import { parseRoute } from './route.ts';
import { openScreen } from './screens.ts';
import { shell } from './shell.ts';
import { createStore } from './service/store.ts';
import { createToasts } from './parts/toasts.ts';

const root = document.getElementById('app') as HTMLElement;
let view: View = { title: 'Loading', section: '', render: loading };
let shownHash = '';
let drawnHash = '';
let drawing = false;
let opening = 0;

/** Draws in a microtask: before the next event, so that no handler sees an outdated screen. */
const redraw = (): void => {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    draw();
  });
};

const draw = (): void => {
  render(shell(view.section, html`<div class="screen" data-at=${drawnHash}>${view.render()}</div>`, toasts.render()), root);
  document.title = `${view.title} · Ad server`;
};

const toasts = createToasts(redraw);
const api = createApi({ askToken });
const page: Page = {
  api,
  store: createStore(api),
  redraw,
  toast: toasts.add,
  complain: ({ title, detail }) => toasts.add(`${title}. ${detail}`, { tone: 'bad' }),
  confirm: askQuestion,
  go: (hash, { saved = false } = {}) => {
    if (saved) view = { ...view, hasChanges: () => false };
    if (location.hash === hash) void open();
    else location.hash = hash;
  },
};

/** Opens the screen of the address, with the focus on its heading for screen readers. */
const open = async (): Promise<void> => {
  const turn = ++opening;
  shownHash = location.hash;
  view.leave?.();
  const next = await openScreen(page, parseRoute(location.hash));
  if (turn !== opening) return next.leave?.();
  view = next;
  drawnHash = shownHash;
  draw();
  window.scrollTo(0, 0);
  // On narrow screens the navigation scrolls sideways, and its current entry may be out of view.
  document.querySelector('.sidebar [aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
};

const LEAVE = { title: 'Leave without saving?', text: 'Your changes on this page will be lost.', yes: 'Leave', dangerous: true } as const;

window.addEventListener('hashchange', () => {
  if (location.hash === shownHash) return;
  if (!view.hasChanges?.()) return void open();
  const wanted = location.hash;
  history.replaceState(null, '', shownHash);
  void askQuestion(LEAVE).then((leave) => {
    if (leave) page.go(wanted, { saved: true });
  });
});

window.addEventListener('beforeunload', (event) => {
  if (view.hasChanges?.()) event.preventDefault();
});

const start = async (): Promise<void> => {
  draw();
  const problem = (await page.store.refresh()) ?? (await page.store.loadDimensions());
  if (!problem) return open();
  view = {
    title: 'Not available',
    section: '',
    render: () =>
      html`<h1 tabindex="-1">The campaign data cannot be loaded</h1>
        ${problemNote(problem)}<button type="button" @click=${() => void start()}>Try again</button>`,
  };
  return draw();
};

void start();
