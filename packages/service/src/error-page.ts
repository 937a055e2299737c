import { STATUS_CODES } from 'node:http';
import { isForBrowsers, type Operation } from '@tandem/contract';
import type { Request } from 'express';
import type { ErrorResponse } from './error-response.ts';
import { escapeHtml } from './escape-html.ts';
import type { ServiceResponse } from './response.ts';

const style =
  'body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.05rem/1.6 system-ui,sans-serif}main{padding:2rem;max-width:36rem}small{opacity:.7}';
// Allows inline styles only, so nothing on the page can run or load.
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * Whether an error is sent as an HTML page: people open the operation in a browser, and this client prefers HTML to
 * JSON.
 */
export function wantsErrorPage(request: Request, row: Operation): boolean {
  return isForBrowsers(row) && request.accepts(['json', 'html']) === 'html';
}

/** Renders an error as an HTML page. */
export function errorPage({ status, message, retryAfter }: ErrorResponse, requestId: string): ServiceResponse {
  const title = STATUS_CODES[status] ?? 'Error';
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}.</p><small>${escapeHtml(requestId)}</small></main></body>
</html>
`;
  return {
    status,
    body: '',
    served: { body, type: 'text/html; charset=utf-8', contentPolicy },
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
