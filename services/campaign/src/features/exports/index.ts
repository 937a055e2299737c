import type { recordPages } from '@tandem/contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { readRecordPage } from './read-record-page.ts';

export const exportHandlers = (tools: Tools) =>
  ({ readRecordPage: readRecordPage(tools) }) satisfies Handlers<typeof recordPages, Tx>;
