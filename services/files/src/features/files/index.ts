import type { personalDataOperations, recordPages } from '@tandem/contract';
import type {
  files,
  fileVersions,
  internalNames,
  ocr,
  retention,
  signatureRequests,
  signing,
  transfers,
} from '@tandem/files-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { deleteFile } from './delete-file.ts';
import { findFile } from './find-file.ts';
import { getFile } from './get-file.ts';
import { getFileDownload } from './get-file-download.ts';
import { getFilePreview } from './get-file-preview.ts';
import { linkFile } from './link-file.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { readFilePart } from './read-file-part.ts';
import { restoreFile } from './restore-file.ts';
import { serveFile } from './serve-file.ts';
import { updateFile } from './update-file.ts';
import { uploadFile } from './upload-file.ts';

export const fileHandlers = (tools: Tools) =>
  ({
    uploadFile: uploadFile(tools),
    listFiles,
    getFile,
    updateFile: updateFile(tools),
    getFilePreview: getFilePreview(tools),
    getFileDownload: getFileDownload(tools),
    deleteFile,
    restoreFile,
    serveFile: serveFile(tools),
    findFile,
    readFile: readFile(tools),
    readFilePart: readFilePart(tools),
    linkFile: linkFile(tools),
  }) satisfies Handlers<
    Omit<
      typeof files,
      | keyof typeof signatureRequests
      | keyof typeof signing
      | keyof typeof retention
      | keyof typeof transfers
      | keyof typeof fileVersions
      | keyof typeof ocr
      | keyof typeof internalNames
      | keyof typeof recordPages
      | keyof typeof personalDataOperations
    >,
    Tx
  >;
