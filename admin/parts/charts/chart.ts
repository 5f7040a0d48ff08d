import type uPlot from 'uplot';

export interface ChartData {
  readonly options: (colours: Colours, width: number, plot: typeof uPlot) => uPlot.Options;
  readonly data: uPlot.AlignedData;
  /** A sentence that describes the chart to screen readers. */
  readonly label: string;
}

export interface Colours {
  readonly line: string;
  readonly fill: string;
  readonly target: string;
  readonly text: string;
  readonly grid: string;
}

/** `<ad-chart .chart=${…}>`: a uPlot chart as wide as its parent, in the colours of the scheme. */
class AdChart extends HTMLElement {
  #chart: ChartData | undefined;
  #drawn: uPlot | undefined;
  #shown = '';
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  readonly #redraw = () => this.#draw();
  readonly #chosen = new MutationObserver(this.#redraw);
  readonly #resized = new ResizeObserver(() => this.#drawn?.setSize({ width: this.clientWidth, height: this.#drawn.height }));

  set chart(chart: ChartData) {
    const shown = JSON.stringify(chart.data);
    this.#chart = chart;
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (this.isConnected) this.#draw();
  }

  connectedCallback(): void {
    this.#dark.addEventListener('change', this.#redraw);
    this.#chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#resized.observe(this);
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#dark.removeEventListener('change', this.#redraw);
    this.#chosen.disconnect();
    this.#resized.disconnect();
    this.#drawn?.destroy();
    this.#drawn = undefined;
  }

  /** Its code is loaded with the first chart: most screens have none. */
  #draw(): void {
    if (this.#chart) void import('uplot').then(({ default: plot }) => this.isConnected && this.#drawWith(plot));
  }

  #drawWith(plot: typeof uPlot): void {
    if (!this.#chart) return;
    this.#drawn?.destroy();
    this.setAttribute('role', 'img');
    this.setAttribute('aria-label', this.#chart.label);
    // Resolved by the browser: a variable is the pair of its light and its dark colour.
    const colour = (name: string): string => {
      this.style.color = `var(${name})`;
      return getComputedStyle(this).color;
    };
    const colours = {
      line: colour('--accent'),
      fill: colour('--accent-soft'),
      target: colour('--muted'),
      text: colour('--muted'),
      grid: colour('--line'),
    };
    this.style.color = '';
    this.#drawn = new plot(this.#chart.options(colours, this.clientWidth || 320, plot), this.#chart.data, this);
  }
}

customElements.define('ad-chart', AdChart);
