import { isForBrowsers, knownErrors, type Operation, sharedErrors } from '@tandem/contract';
import type { Request } from 'express';
import type { ErrorResponse } from './error-response.ts';
import { escapeHtml } from './escape-html.ts';
import { htmlPage } from './html-page.ts';
import type { ServiceResponse } from './response.ts';

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
  internal_error: 'The error is on our side. Try again later',
  bad_gateway: 'Part of the service did not answer correctly',
  unavailable: 'Part of the service is not available at the moment',
  upstream_timeout: 'Part of the service did not answer in time',
};

/**
 * Whether an error is sent as an HTML page: people open the operation in a browser, and this client prefers HTML to
 * JSON.
 */
export function wantsErrorPage(request: Request, row: Operation): boolean {
  return isForBrowsers(row) && request.accepts(['json', 'html']) === 'html';
}

/** Renders an error as an HTML page. */
export function errorPage(error: ErrorResponse, requestId: string): ServiceResponse {
  const { status, code, retryAfter } = error;
  const title = code === 'link_expired' ? oldLink : (titles[status] ?? 'This did not work');
  const content = `<p>${escapeHtml(textOf(error))}.</p>\n<small>Request ${escapeHtml(requestId)}</small>`;
  return {
    status,
    body: '',
    served: { body: htmlPage({ title, content }), type: 'text/html; charset=utf-8', contentPolicy },
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** A text that an operation declares for a common error is kept. */
function textOf({ code, message }: ErrorResponse): string {
  const common = { ...knownErrors, ...sharedErrors }[code as keyof typeof knownErrors];
  return message === common?.[1] ? (texts[code] ?? message) : message;
}
