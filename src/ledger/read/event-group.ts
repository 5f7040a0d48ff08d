/** The consumer group by which events are copied to Postgres (lua/first-unstored.lua). */
export const EVENT_GROUP = 'postgres';
