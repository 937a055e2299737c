import { knownErrors, sharedErrors } from '@tandem/contract';
import { errorPage } from './error-page.ts';

const shown = (code: string, [status, message]: readonly [number, string]) => {
  const { body, ...page } = errorPage({ status, code, message }, 'req_<1>');
  return { ...page, html: body };
};

it.each([
  ['not_found', knownErrors.not_found, 'This page does not exist'],
  ['link_expired', sharedErrors.link_expired, 'This link does not work any more'],
  ['invitation_closed', [409, 'Ask for a new one'], 'This link does not work any more'],
  ['gone', [410, 'Ask for a new one'], 'This link does not work any more'],
  ['validation_failed', knownErrors.validation_failed, 'This link is not complete'],
  ['rate_limited', knownErrors.rate_limited, 'Try again in a moment'],
  ['unavailable', knownErrors.unavailable, 'Try again in a moment'],
  ['sso_refused', [403, 'The provider refused'], 'This did not work'],
] as const)('tells people what happened: %s', (code, error, title) => {
  const { type, contentPolicy, html } = shown(code, error);
  expect(type).toBe('text/html; charset=utf-8');
  expect(contentPolicy).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
  expect(html).toContain(`<h1>${title}</h1>`);
  expect(html).toContain(`<title>${title}</title>`);
  expect(html).toContain('@media (prefers-color-scheme: dark)');
  expect(html).toContain('Request req_&lt;1&gt;');
});

it('replaces the text of a common error, and keeps one that the operation declares', () => {
  expect(shown('not_found', knownErrors.not_found).html).not.toContain('Resource not found');
  expect(shown('not_found', [404, 'The share <page> was closed']).html).toContain('The share &lt;page&gt; was closed.');
});
