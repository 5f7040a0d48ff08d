import type { ReportReason } from './contract.ts';
import { createScope } from './scope.ts';

const REASONS: Readonly<Record<ReportReason, string>> = {
  offensive: 'It is offensive',
  misleading: 'It is misleading or a scam',
  malware: 'It behaves suspiciously',
  irrelevant: 'It is not relevant to me',
  other: 'Something else',
};

const MARKUP =
  '<dialog aria-labelledby="title"><form><h2 id="title">Report this ad</h2><fieldset><legend>What is wrong with it?</legend>' +
  Object.entries(REASONS)
    .map(([reason, words]) => `<label><input type="radio" name="reason" value="${reason}" required> ${words}</label>`)
    .join('') +
  '</fieldset><p role="status"></p><div><button type="button">Cancel</button><button class="main">Send report</button></div></form></dialog>';

const LOOK =
  'dialog{box-sizing:border-box;width:24em;max-width:calc(100vw - 2em);padding:1.5em;border:0;border-radius:12px;' +
  'font:16px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;box-shadow:0 12px 48px rgba(0,0,0,.35)}' +
  '::backdrop{background:rgba(15,20,25,.55)}h2{margin:0 0 .5em;font-size:1.25em}fieldset{margin:0;padding:0;border:0}legend{padding:0 0 .4em}' +
  'label{display:block;padding:.4em;border-radius:6px;cursor:pointer}label:hover{background:#f1f4f8}input{margin:0 .6em 0 0;accent-color:#0b5cad}' +
  'p{margin:.8em 0 0;min-height:1.5em}div{display:flex;gap:.6em;justify-content:flex-end;margin-top:.8em}' +
  'button{min-height:40px;padding:0 1em;border:1px solid #6b7684;border-radius:8px;font:inherit;color:inherit;background:#fff;cursor:pointer}' +
  '.main{border-color:#0b5cad;color:#fff;background:#0b5cad}[disabled]{opacity:.6}[hidden]{display:none}' +
  ':focus-visible{outline:3px solid #0b5cad;outline-offset:2px}';

/**
 * Opens a modal dialog for the reason and calls `submit` with it; `submit` resolves to whether the
 * report was accepted. The dialog element keeps the focus inside, closes on Escape and covers the
 * page; the shadow root isolates it from the page's styles. `trustedHTML` is the SDK's: a page
 * allows its Trusted Types policy once. Returns a function that closes the
 * dialog. Closing returns the focus to `opener`.
 */
export const openReportModal = (
  submit: (reason: ReportReason) => Promise<boolean>,
  trustedHTML: (html: string) => string,
  opener: Element | null,
): (() => void) => {
  const scope = createScope();
  const host = document.createElement('div');
  host.style.cssText = 'all:initial';
  const root = host.attachShadow({ mode: 'open' });
  root.innerHTML = trustedHTML(MARKUP);
  if ('adoptedStyleSheets' in root) {
    // A constructed style sheet works under a Content-Security-Policy that blocks inline styles.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LOOK);
    root.adoptedStyleSheets = [sheet];
  }
  document.body.append(host);

  const dialog = root.querySelector('dialog')!;
  const form = root.querySelector('form')!;
  const status = root.querySelector('p')!;
  const [cancel, send] = root.querySelectorAll('button') as unknown as [HTMLButtonElement, HTMLButtonElement];
  const close = (): void => dialog.close();

  scope.listen(cancel, 'click', close);
  scope.listen(dialog, 'click', (event) => event.target === dialog && close());
  scope.listen(dialog, 'close', scope.end);
  const report = async (): Promise<void> => {
    const reason = new FormData(form).get('reason') as ReportReason;
    send.disabled = true;
    status.textContent = 'Sending …';
    const accepted = await submit(reason);
    if (scope.ended()) return;
    send.disabled = false;
    status.textContent = accepted ? 'Thank you. Your report has been sent.' : 'The report could not be sent. Please try again.';
    if (!accepted) return send.focus();
    form.querySelector('fieldset')!.hidden = send.hidden = true;
    cancel.textContent = 'Close';
    cancel.focus();
  };
  scope.listen(form, 'submit', (event) => {
    event.preventDefault();
    void report();
  });
  scope.add(() => {
    host.remove();
    if (opener instanceof HTMLElement) opener.focus();
  });
  dialog.showModal();
  return scope.end;
};
