import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// The package exports only its modules; the browser bundle is a file next to them.
const home = dirname(dirname(createRequire(import.meta.url).resolve('@scalar/api-reference/style.css')));

/** The version of the bundle. It is part of the URL, so browsers can cache the bundle permanently. */
export const scalarVersion = (JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string })
  .version;

/** The self-contained Scalar script for browsers. */
export function scalarBundle(): Promise<Buffer> {
  return readFile(join(home, 'dist/browser/standalone.js'));
}

// Features that call Scalar's servers are disabled; the content security policy below would block them as well.
const settings = {
  url: '/docs/openapi.json',
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'ApiKey' },
  persistAuth: false,
  documentDownloadType: 'json',
  orderSchemaPropertiesBy: 'preserve',
  // The document contains its own samples.
  hiddenClients: true,
  metaData: { title: 'Tandem API' },
};

const start = `Scalar.createApiReference('#reference', ${JSON.stringify(settings)})`;

/** The reference page. It loads the bundle and the document from this host and nothing from other hosts. */
export const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tandem API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The API is described at <a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript>
    <script src="/docs/scalar.js?v=${scalarVersion}"></script>
    <script>${start}</script>
  </body>
</html>
`;

/** The content security policy of the page: our own files, and the styles that Scalar adds to the page. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(start).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
