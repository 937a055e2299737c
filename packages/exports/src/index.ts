// Exports of records as files: columns, pages that survive a crash, formats, and who may download a file.

export { chunkSweep } from './chunk-sweep.ts';
export { allColumns, type Exported, type RowPlan, rowWriter, unknownColumns } from './columns.ts';
export { type ExportFormat, fileOf } from './file.ts';
export { type Recipient, recipientReader } from './recipient.ts';
export { mayReceive, Requester, requesterOf } from './requester.ts';
export { readPage, removePages } from './stored-pages.ts';
export { type Written, writePages } from './write-pages.ts';
export { toXlsx, xlsxType } from './xlsx.ts';
