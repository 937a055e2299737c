// `npm run openapi`: writes gateway/openapi.json, which a test compares with the contracts.
import { writeFileSync } from 'node:fs';
import { publicOperations } from '../contracts.ts';
import { openApiDocument } from './openapi.ts';

/** Where the committed document is. */
export const committedDocument = new URL('../../openapi.json', import.meta.url);

/** The document as it is committed. */
export function documentText(): string {
  return `${JSON.stringify(openApiDocument(publicOperations()), null, 2)}\n`;
}

if (import.meta.main) {
  writeFileSync(committedDocument, documentText());
  console.log('gateway/openapi.json written');
}
