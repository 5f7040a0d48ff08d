/** Set by rollup.config.js: the version of sdk/package.json. */
declare const SDK_VERSION: string;
/** Set by rollup.config.js: frame-bridge.ts, compiled and minified: the first script of every sandboxed frame. */
declare const FRAME_BRIDGE: string;
