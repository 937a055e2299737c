import type { recordPages } from '@tandem/contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { readRecordPage } from './read-record-page.ts';

export const exportHandlers = { readRecordPage } satisfies Handlers<typeof recordPages, Tx>;
