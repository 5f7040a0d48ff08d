const FILLED = '#1f8f55';
const EMPTY = '#b4570a';
const FAILED = '#c22f2f';
const WAITING = '#4a6076';

const state = (name: string, colour: string): string => `[data-state=${name}]{--state:${colour}}`;

/** The overlay has one look on every page, in light and dark ones. */
export const OVERLAY_STYLES =
  `:host{--state:${WAITING}}*{box-sizing:border-box}[hidden]{display:none!important}` +
  state('filled', FILLED) +
  state('empty', EMPTY) +
  state('failed', FAILED) +
  '.marks{position:absolute;top:0;left:0}' +
  '.mark{position:absolute;top:0;left:0;pointer-events:none;outline:2px solid var(--state);outline-offset:-2px}' +
  '.mark button{display:block;min-height:24px;padding:2px 8px;border:0;border-radius:0 0 6px 0;overflow:hidden;text-overflow:ellipsis;' +
  'white-space:nowrap;font:600 12px/20px system-ui,sans-serif;color:#fff;background:var(--state);cursor:pointer;pointer-events:auto}' +
  '.bar{position:fixed;left:12px;bottom:12px;display:flex;max-width:calc(100vw - 24px);border-radius:8px;overflow:hidden;box-shadow:0 4px 18px #0006}' +
  '.bar button{min-height:36px;padding:0 12px;border:0;font:600 13px/1.2 system-ui,sans-serif;color:#fff;background:#18212b;cursor:pointer}' +
  '.bar button:first-child{padding:0 14px;border-right:1px solid #3a4856;font-size:18px}' +
  '.panel{position:fixed;top:0;right:0;bottom:0;display:flex;flex-direction:column;width:420px;max-width:100vw;color:#1b242d;background:#fff;' +
  'box-shadow:0 0 32px #0005;font:14px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}' +
  'header{display:flex;align-items:center;gap:8px;padding:8px 8px 8px 16px;color:#fff;background:#18212b}' +
  'h2{flex:1;margin:0;font-size:16px;outline:0}header button{min-width:36px;min-height:36px;border:0;border-radius:6px;font:inherit;' +
  'color:inherit;background:#2d3945;cursor:pointer}.back{padding:0 10px}' +
  '.body{flex:1;padding:0 16px 24px;overflow:auto;overscroll-behavior:contain}' +
  'h3{margin:18px 0 6px;padding-bottom:4px;border-bottom:1px solid #d8dee5;font-size:14px}h4{margin:12px 0 4px;font-size:13px;color:#4a5866}' +
  'p{margin:6px 0}ul{margin:0;padding:0;list-style:none}li{padding:3px 0}a{color:#0b5cad}' +
  `.bad{color:${FAILED}}.note{padding:8px 10px;border-radius:6px;background:#eef3f8}` +
  'dl{display:grid;grid-template-columns:120px 1fr;gap:3px 14px;margin:0}dt{color:#556270}dt::first-letter{text-transform:uppercase}dd{margin:0}' +
  '.steps{display:flex;flex-wrap:wrap;gap:4px;margin:8px 0;padding:0;list-style:none}' +
  '.steps li{padding:2px 8px;border-radius:6px;font-size:12px;background:#eef3f8}.steps b{margin-left:6px}' +
  `.steps i{margin-left:4px;color:${EMPTY};font-style:normal}` +
  '.entries button{width:100%;min-height:36px;padding:6px 10px;border:0;border-left:4px solid var(--state);border-radius:4px;text-align:left;' +
  'font:inherit;color:inherit;background:#f4f6f9;cursor:pointer}' +
  ':focus-visible{outline:3px solid #5aa9f0!important;outline-offset:-3px}' +
  '@media (max-width:600px){.panel{top:auto;left:0;width:auto;height:70vh;border-radius:12px 12px 0 0;overflow:hidden}}' +
  '@media (prefers-reduced-motion:no-preference){.mark button:hover,.entries button:hover{filter:brightness(.93)}}';
