import type { retention } from '@tandem/files-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getStorageUsage } from '../usage/get-storage-usage.ts';
import { holdFile } from './hold-file.ts';
import { releaseFile } from './release-file.ts';

export const retentionHandlers = (tools: Tools) =>
  ({ getStorageUsage: getStorageUsage(tools), holdFile, releaseFile }) satisfies Handlers<typeof retention, Tx>;
