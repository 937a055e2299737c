import type { Message } from '@tandem/mail';
import { renderLetter } from '@tandem/mail';
import type { StoredReport } from './report-run.ts';

const language = 'en';
const footer = (report: StoredReport) => [
  `This message belongs to the schedule of the report “${report.name}”. The owner of the report can change it.`,
];

/** The message with the link to the file of a run. */
export function reportLetter(
  report: StoredReport,
  { to, url, rowCount }: { to: string; url: string; rowCount: number },
): Message {
  const text = `The report “${report.name}” is ready: ${rowCount} rows.`;
  const content = renderLetter({
    ...{ language, subject: report.name, preview: text, title: report.name, paragraphs: [text] },
    button: { label: 'Download the report', url, hint: 'Or open this address:' },
    notes: ['The link works for 7 days.'],
    footer: footer(report),
  });
  return { kind: 'bulk', template: 'report', to, content };
}

/** The message of a run that found nothing: it has no file, so that nobody takes an empty one for the result. */
export function emptyLetter(report: StoredReport, to: string): Message {
  const text = `The report “${report.name}” has no rows for its period.`;
  const subject = `${report.name}: no rows`;
  const content = renderLetter({
    ...{ language, subject, preview: text, title: report.name, paragraphs: [text], footer: footer(report) },
  });
  return { kind: 'bulk', template: 'report_empty', to, content };
}
