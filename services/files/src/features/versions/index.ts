import type { fileVersions } from '@tandem/files-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createFileVersion } from './create-file-version.ts';
import { deleteFileVersion } from './delete-file-version.ts';
import { getFileVersion } from './get-file-version.ts';
import { listFileVersions } from './list-file-versions.ts';
import { restoreFileVersion } from './restore-file-version.ts';

export const versionHandlers = (tools: Tools) =>
  ({
    listFileVersions,
    createFileVersion: createFileVersion(tools),
    getFileVersion,
    restoreFileVersion,
    deleteFileVersion,
  }) satisfies Handlers<typeof fileVersions, Tx>;
