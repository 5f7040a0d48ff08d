import { escapeHtml } from './escape-html.ts';
import { isSafeUrl } from '../catalog/model/is-safe-url.ts';

/** A native ad in a plain template; each publisher's page has its own. */
export const sampleNative = (assets: Readonly<Record<string, unknown>>): string => {
  const text = (name: string): string => (typeof assets[name] === 'string' ? escapeHtml(assets[name]) : '');
  const image = urlOf(assets['image']) ?? urlOf(assets['background']);
  const known = ['title', 'description', 'brand', 'image', 'sponsored', 'click', 'background', 'offer'];
  const others = Object.entries(assets).filter(([name]) => !known.includes(name));
  return `<style>${STYLE}</style><article>
    ${image ? `<img src="${escapeHtml(image)}" alt="">` : ''}
    <div><small>${text('sponsored') || 'Sponsored'}${assets['brand'] ? ` · ${text('brand')}` : ''}</small>
    <h1>${text('title')}</h1><p>${text('description')}</p>
    ${assets['offer'] ? `<b>${text('offer')}</b>` : ''}
    ${others.length > 0 ? `<dl>${others.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(shown(value))}</dd>`).join('')}</dl>` : ''}</div></article>`;
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const urlOf = (value: unknown): string | undefined => {
  const url = typeof value === 'object' && value !== null ? (value as { readonly url?: unknown }).url : value;
  return typeof url === 'string' && isSafeUrl(url) ? url : undefined;
};

const STYLE = `body{margin:0;font:15px/1.45 system-ui,sans-serif;color:#1c2430;background:#fff}
article{display:flex;flex-direction:column;height:100vh;box-sizing:border-box;border:1px solid #dfe3ea;border-radius:10px;overflow:hidden}
img{width:100%;flex:1 1 0;min-height:0;object-fit:cover;background:#eef1f5}div{padding:12px 14px}
small{color:#667085;font-size:12px}h1{margin:2px 0 4px;font-size:17px;line-height:1.25}p{margin:0 0 6px}
b{display:inline-block;padding:2px 8px;border-radius:99px;background:#eef2ff;color:#3538cd;font-size:13px}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 10px;margin:8px 0 0;font-size:12px}dt{color:#667085}dd{margin:0}`;
