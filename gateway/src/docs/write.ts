// `npm run openapi`: writes gateway/openapi.json, which a test compares with the contracts.
import { writeFileSync } from 'node:fs';
import { publicOperations } from '../contracts.ts';
import { laidOut } from './layout.ts';
import { openApiDocument } from './openapi.ts';

/** The path of the committed document. */
export const committedDocument = new URL('../../openapi.json', import.meta.url);

/** The text of the committed document. */
export function documentText(): string {
  return `${laidOut(JSON.parse(JSON.stringify(openApiDocument(publicOperations()))))}\n`;
}

if (import.meta.main) {
  writeFileSync(committedDocument, documentText());
  console.log('gateway/openapi.json written');
}
