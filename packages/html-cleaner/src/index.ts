// Removes active content from the HTML of customers, in worker threads with a limit for the time of each text.
export { type Cleaned, cleaningLimits, cleanWith, createHtmlCleaner, type HtmlCleaner } from './html-cleaner.ts';
