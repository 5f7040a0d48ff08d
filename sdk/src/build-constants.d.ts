/** The version of sdk/package.json. Set by rollup.config.js. */
declare const SDK_VERSION: string;
/**
 * frame-bridge.ts, compiled and minified: the first script of every sandboxed frame. Set by
 * rollup.config.js.
 */
declare const FRAME_BRIDGE: string;
/** The integrity hash of the full script. Set by rollup.config.js. */
declare const FULL_INTEGRITY: string;
