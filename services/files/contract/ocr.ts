import { event, id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { File, ocrStatuses, withId } from './file.ts';

export const ocrLanguages = ['eng', 'deu', 'fra', 'spa'] as const;
export const ocrFeatures = ['text', 'tables', 'fields'] as const;
/** Maximum number of pages of a job. */
export const ocrPagesMax = 100;
/** Maximum size of a file that is read, in bytes. */
export const ocrBytesMax = 100 * 1_024 * 1_024;
const languagesMax = 3;

export const OcrStatus = z
  .enum(ocrStatuses)
  .describe('Whether the job waits for its start (`queued`), reads pages (`processing`), or has ended');
export const OcrLanguage = z
  .enum(ocrLanguages, { error: `Must be one of ${ocrLanguages.join(', ')}` })
  .describe('A language of the document: English, German, French or Spanish');
export const OcrFeature = z
  .enum(ocrFeatures, { error: `Must be one of ${ocrFeatures.join(', ')}` })
  .describe('A part of the result: the text, the tables of the pages, or the fields of a schema');

const Confidence = z.number().meta({
  description: 'From 0 to 1; 1 for text that the document contains as text',
  examples: [0.97],
});
const OcrBox = z.array(z.number()).meta({
  description:
    'Left, top, right and bottom edge, from the top left corner of the page, in the unit of its width and height',
  examples: [[60, 58, 257, 82]],
});

/** A line of a page. */
export const OcrLine = z.object({
  text: z.string().meta({ description: 'The text of the line', examples: ['Invoice 2026-0042'] }),
  confidence: Confidence,
  bbox: OcrBox,
});

/** A page that was read. */
export const OcrPage = z.object({
  number: z.int().meta({ description: 'The number of the page; the first one is 1', examples: [1] }),
  width: z.number().meta({ description: 'In points for a PDF, in pixels for a picture', examples: [595] }),
  height: z.number().meta({ description: 'In points for a PDF, in pixels for a picture', examples: [842] }),
  text: z.string().meta({ description: 'The lines of the page', examples: ['Invoice 2026-0042\nTotal 1,234.50 EUR'] }),
  confidence: Confidence,
  lines: z.array(OcrLine).describe('The lines from top to bottom; empty for a plain text'),
});

/** A table of a page. */
export const OcrTable = z.object({
  page: z.int().meta({ description: 'The number of the page', examples: [1] }),
  rows: z.array(z.array(z.string())).meta({
    description: 'The cells of each row',
    examples: [
      [
        ['Item', 'Price'],
        ['Difference engine', '17,000.00'],
      ],
    ],
  }),
});

/** A value that was found for a property of the schema. */
export const OcrField = z.object({
  value: z.unknown().meta({ description: 'The value, as the schema describes it', examples: ['2026-0042'] }),
  confidence: Confidence.nullable().describe('How sure the recognition of the line is; null if the place is unknown'),
  page: z
    .int()
    .nullable()
    .meta({ description: 'The page with the value; null if the place is unknown', examples: [1] }),
  bbox: OcrBox.nullable().describe('The line with the value; null if the place is unknown'),
});

const Languages = z
  .array(OcrLanguage)
  .min(1, 'Must name at least one language')
  .max(languagesMax, `Must name at most ${languagesMax} languages`)
  .refine((list) => new Set(list).size === list.length, 'Must not name a language twice');
const Features = z
  .array(OcrFeature)
  .min(1, 'Must name at least one feature')
  .refine((list) => new Set(list).size === list.length, 'Must not name a feature twice');
const Pages = z
  .array(
    z
      .int({ error: 'Must be the number of a page, from 1' })
      .min(1, 'Must be the number of a page, from 1')
      .max(100_000),
  )
  .min(1, 'Must name at least one page')
  .max(ocrPagesMax, `Must name at most ${ocrPagesMax} pages`)
  .refine((list) => new Set(list).size === list.length, 'Must not name a page twice');

export const OcrJob = z.object({
  id: id('ocr_job'),
  fileId: id('file'),
  versionId: id('file_version').describe('The version of the file that is read'),
  status: OcrStatus,
  languages: Languages.meta({ description: 'The languages of the document', examples: [['eng']] }),
  features: Features.meta({ description: 'The parts of the result', examples: [['text']] }),
  progress: z
    .object({
      done: z.int().meta({ description: 'The number of pages that were read', examples: [3] }),
      total: z.int().meta({ description: 'The number of pages to read; 0 while it is not known', examples: [3] }),
    })
    .describe('The progress of the job'),
  engine: z
    .enum(['text_layer', 'tesseract', 'mixed'])
    .nullable()
    .describe(
      'Where the text is from: the file contains it as text (`text_layer`), it was recognized (`tesseract`), or both (`mixed`); null until the job is completed',
    ),
  text: z.string().meta({ description: 'The text of all pages', examples: ['Invoice 2026-0042\nTotal 1,234.50 EUR'] }),
  pages: z.array(OcrPage).describe('The pages that were read so far'),
  tables: z.array(OcrTable).describe('The tables of the pages, with the feature `tables`'),
  fields: z
    .record(z.string(), OcrField)
    .meta({ description: 'The values for the properties of the schema, with the feature `fields`', examples: [{}] }),
  error: z
    .object({
      code: z.string().meta({ description: 'The reason, for programs', examples: ['encrypted'] }),
      message: z.string().meta({
        description: 'The reason, for people',
        examples: ['The document is protected with a password; upload one without protection'],
      }),
    })
    .nullable()
    .meta({ description: 'Why the job failed; null otherwise', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who started the job'),
  createdAt: timestamp(),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the job completed or failed; null until then', examples: [null] }),
});

/** A job without its result. */
export const OcrStarted = OcrJob.pick({ id: true, status: true });

export const fileOcrCompleted = event('file.ocr_completed', {
  group: 'files',
  readPermission: 'files:read',
  description: 'The text of a file was read, or could not be read',
  action: 'file.ocr',
  target: 'file',
  data: z.object({
    fileId: id('file'),
    versionId: id('file_version'),
    ocrJobId: id('ocr_job'),
    status: OcrStatus.extract(['completed', 'failed']),
    pages: z.int().describe('The number of pages that were read'),
  }),
  record: File.pick({ id: true, filename: true }),
  example: {
    fileId: 'oDROIGD4LWMZUfLp',
    versionId: 'RaSkQj1FfnErWTVp',
    ocrJobId: '4KPqXaPyhHWzgm2P',
    status: 'completed',
    pages: 3,
  },
});

export const ocr = operations({
  startOcr: {
    method: 'POST',
    path: '/v1/files/:id/ocr',
    permission: 'files:write',
    narrows: true,
    summary: 'Read the text of a file',
    description: `Reads the text of a PDF, a picture (PNG, JPEG, WebP, TIFF, GIF or AVIF) or a plain text, in the background. Pages of a PDF that contain text are read as they are; others are recognized. A version that was read with the same options is not read again: the response is 200 with that job, unless \`force\` is true. At most ${ocrPagesMax} pages and 100 MiB.`,
    params: withId,
    body: z.object({
      versionId: id('file_version').optional().describe('The version to read; the current one by default'),
      languages: OcrJob.shape.languages.default(['eng']),
      pages: Pages.meta({
        description: `The pages to read; the first ${ocrPagesMax} by default`,
        examples: [[1, 2]],
      }).optional(),
      features: OcrJob.shape.features.default(['text']),
      schema: z
        .record(z.string(), z.unknown())
        .meta({
          description:
            'A JSON Schema of type `object`, whose properties are the fields to find: at most 64 KB and 10 levels. Required for the feature `fields`',
          examples: [{ type: 'object', properties: { invoiceNumber: { type: 'string' } } }],
        })
        .optional(),
      force: z.boolean().describe('Reads the version again').default(false),
    }),
    reply: OcrStarted,
    example: { status: 'queued' },
    status: 202,
    mayExist: true,
    message: 'OCR started',
    emits: [],
    errors: {
      unsupported_type: [422, 'The text of this type of file cannot be read'],
      file_too_large: [422, 'The file is too large to be read'],
      not_available: [409, 'The file is quarantined and cannot be read'],
    },
  },
  getFileOcr: {
    method: 'GET',
    path: '/v1/files/:id/ocr',
    permission: 'files:read',
    narrows: true,
    summary: 'Retrieve the text of a file',
    description:
      'Returns the last job for the current version, or for an earlier version if the current one was not read.',
    params: withId,
    reply: OcrJob,
    message: 'OCR retrieved',
  },
  getOcrJob: {
    method: 'GET',
    path: '/v1/files/:id/ocr/:jobId',
    permission: 'files:read',
    narrows: true,
    summary: 'Retrieve an OCR job',
    params: withId.extend({ jobId: id('ocr_job') }),
    reply: OcrJob,
    message: 'OCR retrieved',
  },
});
