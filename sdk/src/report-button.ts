import { escapeHTML } from './html.ts';
import type { Scope } from './scope.ts';

const MARK = 'data-adsdk-report';

export const getReportLinkHTML = (text: string, className = '', style = ''): string =>
  `<button type="button" ${MARK} aria-haspopup="dialog" class="${escapeHTML(className)}" style="${escapeHTML(style)}">${escapeHTML(text)}</button>`;

const LOOK =
  'all:revert;box-sizing:border-box;min-width:24px;min-height:24px;margin:0;padding:2px 7px;border:0;border-radius:4px;' +
  'font:500 11px/20px system-ui,sans-serif;color:#333;background:#fffd;cursor:pointer;';
const IN_CORNER = 'position:absolute;top:2px;right:2px;z-index:1';
const BELOW = 'display:block;margin-left:auto';

/**
 * Connects the report buttons in the container to the report modal. Adds a button when the ad has
 * none, unless the container has `data-disable-reporting="true"`.
 */
export const attachReportButton = (container: HTMLElement, ad: HTMLElement, scope: Scope, open: () => void): void => {
  if (container.dataset['disableReporting'] !== 'true' && !container.querySelector(`[${MARK}]`)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Report';
    button.setAttribute(MARK, '');
    button.setAttribute('aria-haspopup', 'dialog');
    button.setAttribute('aria-label', 'Report this ad');
    // Set through the object model, which a Content-Security-Policy without inline styles allows.
    button.style.cssText = LOOK + (ad === container ? BELOW : IN_CORNER);
    ad.append(button);
  }
  scope.listen(container, 'click', ({ target }) => {
    if (target instanceof Element && target.closest(`[${MARK}]`)) open();
  });
};
