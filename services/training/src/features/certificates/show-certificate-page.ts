import { createHash } from 'node:crypto';
import { escapeHtml, htmlPage, pageStyle } from '@tandem/pages';
import type { certificates } from '@tandem/training-contract';
import type { Certificate as CertificateRow } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { statusOf } from './certificate.ts';
import { isErased } from './erased.ts';
import { findPublic } from './find-public.ts';

const styleHash = createHash('sha256').update(pageStyle).digest('base64');
const contentPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const showCertificatePage: Handler<typeof certificates.showCertificatePage> = async (context) => {
  const row = await findPublic(context, context.params.code);
  return { body: certificatePage(row), type: 'text/html; charset=utf-8', contentPolicy };
};

const statusTexts = {
  valid: 'This certificate is valid.',
  expired: 'This certificate has expired.',
  revoked: 'This certificate was revoked and is not valid.',
};

// Not "revoked", which would say that the learner did something wrong.
const erasedText = 'This certificate was removed and is not valid any more.';

const testText = 'This is a test certificate. Nobody has completed the course.';

function certificatePage(row: CertificateRow): string {
  const status = statusOf(row);
  const facts: [string, string][] = [
    ...(isErased(row) ? [] : [['Name', row.learnerName] as [string, string]]),
    ...(row.issuer ? [['Issued by', row.issuer] as [string, string]] : []),
    ['Course', row.courseTitle],
    ['Issued', dayOf(row.issuedAt)],
    ...(row.expiresAt ? [['Valid until', dayOf(row.expiresAt)] as [string, string]] : []),
    ...(row.revokedAt ? [[isErased(row) ? 'Removed' : 'Revoked', dayOf(row.revokedAt)] as [string, string]] : []),
    ['Code', row.code],
  ];
  const isTest = row.environment === 'sandbox';
  const isBad = status !== 'valid' || isTest;
  const statusText = isErased(row) ? erasedText : statusTexts[status];
  const lines = facts.map(([label, value]) => `<dt><small>${label}</small></dt><dd>${escapeHtml(value)}</dd>`);
  const content = `<p role="status"${isBad ? ' class="bad"' : ''}>${isTest ? testText : statusText}</p>\n<dl>\n${lines.join('\n')}\n</dl>`;
  return htmlPage({ title: 'Certificate', content });
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
