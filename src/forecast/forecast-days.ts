/** Days that are forecast: today, and four weeks. */
export const FORECAST_DAYS = 29;
