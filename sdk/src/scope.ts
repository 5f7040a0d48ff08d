/** What one ad has taken from the page (listeners, observers, timers, elements) and gives back at its end. */
export interface Scope {
  readonly ended: () => boolean;
  readonly add: (undo: () => void) => void;
  readonly listen: <E extends Event>(target: EventTarget, type: string, listener: (event: E) => void) => void;
  readonly end: () => void;
}

/** Things added after the end are given back at once. */
export const createScope = (): Scope => {
  let undos: (() => void)[] | undefined = [];
  const add = (undo: () => void): void => {
    if (undos) undos.push(undo);
    else undo();
  };
  return {
    ended: () => !undos,
    add,
    listen: (target, type, listener) => {
      target.addEventListener(type, listener as EventListener);
      add(() => target.removeEventListener(type, listener as EventListener));
    },
    end: () => {
      const all = undos;
      undos = undefined;
      all?.reverse().forEach((undo) => undo());
    },
  };
};
