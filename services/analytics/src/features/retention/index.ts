export { eventsKeptSince, type Missing, warnOfRemovedEvents } from './kept-since.ts';
export { removeOldEvents, scheduleRetention } from './remove-old-events.job.ts';
