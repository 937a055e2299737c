import type { IncomingMessage } from 'node:http';
import { isForBrowsers, knownErrors, type Operation, sharedErrors } from '@tandem/contract';
import accepts from 'accepts';
import { escapeHtml } from './escape-html.ts';
import { htmlPage } from './html-page.ts';

// Allows inline styles only, so nothing on the page can run or load.
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const oldLink = 'This link does not work any more';
const later = 'Try again in a moment';
const titles: Record<number, string> = {
  404: 'This page does not exist',
  409: oldLink,
  410: oldLink,
  422: 'This link is not complete',
  429: later,
  500: 'Something went wrong',
  502: later,
  503: later,
  504: later,
};
/** Replaces the texts of common errors, which are written for developers. */
const texts: Record<string, string> = {
  not_found: 'Check the address. What it showed may also have been removed',
  link_expired: 'The link has expired. Ask for a new one',
  validation_failed: 'Open the link again, or copy the whole address',
  rate_limited: 'Too many requests came from your network',
  internal_error: 'The error is on our side. Try again later',
  bad_gateway: 'Part of the service did not answer correctly',
  unavailable: 'Part of the service is not available at the moment',
  upstream_timeout: 'Part of the service did not answer in time',
};

interface PageError {
  status: number;
  code: string;
  message: string;
}

/**
 * Whether an error is sent as an HTML page: people open the operation in a browser, and this client prefers HTML to
 * JSON.
 */
export function wantsErrorPage(request: IncomingMessage, row: Operation): boolean {
  return isForBrowsers(row) && accepts(request).type(['json', 'html']) === 'html';
}

/** Renders an error as an HTML page, which allows nothing but its style. */
export function errorPage(error: PageError, requestId: string) {
  const { status, code } = error;
  const title = code === 'link_expired' ? oldLink : (titles[status] ?? 'This did not work');
  const content = `<p>${escapeHtml(textOf(error))}.</p>\n<small>Request ${escapeHtml(requestId)}</small>`;
  return { body: htmlPage({ title, content }), type: 'text/html; charset=utf-8', contentPolicy };
}

/** A text that an operation declares for a common error is kept. */
function textOf({ code, message }: PageError): string {
  const common = { ...knownErrors, ...sharedErrors }[code as keyof typeof knownErrors];
  return message === common?.[1] ? (texts[code] ?? message) : message;
}
