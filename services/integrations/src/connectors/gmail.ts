import { text } from '@tandem/contract';
import { z } from 'zod';
import type { Call, CallAnswer } from './calling.ts';
import { accountIn, bearer, CallError, type Connector, textIn } from './connector.ts';
import { mailFields, mailHeader } from './mail-header.ts';
import { CursorExpiredError, type ExternalRecord, type SyncContext, type SyncPage } from './sync.ts';

type MailRecord = Extract<ExternalRecord, { kind: 'mail' }>;

const base = 'https://gmail.googleapis.com/gmail/v1/users/me';
// A page of records has at most 100, and an entry of the history can have several messages.
const entriesMax = 50;
const recordsMax = 100;
const atOnceMax = 5;
// Google keeps the history for at least a week, so this is what a sync can miss when its position has expired.
const firstDays = 7;
const firstMessagesMax = 1_000;
// Mail that the account wrote itself is no reply.
const own = ['SENT', 'DRAFT'];

const Settings = z.object({
  labelIds: z
    .array(
      text(100)
        .regex(/^[A-Za-z0-9_^-]+$/, 'Must be the id of a label')
        .refine((id) => !own.includes(id), 'Must be a label of received messages'),
      { error: 'Must be a list of ids of labels' },
    )
    .min(1, 'Must contain at least one label')
    .max(5, 'Must contain at most 5 labels')
    .default(['INBOX'])
    .describe(
      'The ids of the labels whose new messages are examined for replies and bounces of your campaigns. Only headers are read',
    ),
});

const Id = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/);
const HistoryId = z.string().regex(/^\d{1,20}$/);
const PageToken = z.string().min(1).max(1_000);

/** The position of a sync. */
const Cursor = z.object({
  /** The history up to here has been read. */
  historyId: HistoryId,
  /** The position after the run: changes during it are read by the next one. */
  next: HistoryId.optional(),
  pageToken: PageToken.optional(),
  /** Messages of the page that did not fit into the records. */
  rest: z.array(Id).max(1_000).optional(),
  /** During the first run: the label whose messages are listed, by its position, and the number of messages so far. */
  first: z.object({ label: z.int().min(0).max(4), read: z.int().min(0) }).optional(),
});
type Cursor = z.output<typeof Cursor>;

/** Reads a list of a response, without the items that have another form. */
const listOf = <Schema extends z.ZodType>(item: Schema) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) => items.flatMap((one) => item.safeParse(one).data ?? []) as z.output<Schema>[]);

const Labelled = z.object({ id: Id, labelIds: z.array(z.string()).max(500).optional().catch(undefined) });
const History = z.object({
  history: listOf(z.object({ messagesAdded: listOf(z.object({ message: Labelled })) })),
  historyId: HistoryId,
  nextPageToken: PageToken.optional().catch(undefined),
});
const Listed = z.object({
  messages: listOf(z.object({ id: Id })),
  nextPageToken: PageToken.optional().catch(undefined),
});
const Message = Labelled.extend({
  threadId: z.string().max(100).nullable().catch(null),
  internalDate: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((ms) => ms < Date.parse('9999-12-31')),
  payload: z.object({ headers: listOf(z.object({ name: z.string(), value: z.string() })) }).catch({ headers: [] }),
});

/** A mailbox of Gmail, whose new messages are examined for replies. The scope permits to read headers, not bodies. */
export const gmail: Connector = {
  key: 'gmail',
  name: 'Gmail',
  category: 'email',
  authType: 'oauth2',
  provider: 'google',
  scopes: ['https://www.googleapis.com/auth/gmail.metadata'],
  settings: Settings,
  credentials: null,
  headersOf: bearer,
  async probe(call) {
    const { body } = await profile(call);
    return accountIn(body, { id: 'emailAddress', name: 'emailAddress' });
  },
  nameError: () => 'Messages have no field mappings',
  sync: { kinds: () => ['mail'], everyMinutes: 5, read },
};

async function read({ call, settings, cursor, limit = recordsMax }: SyncContext): Promise<SyncPage> {
  const { labelIds } = Settings.parse(settings);
  const { data: at } = Cursor.safeParse(cursor);
  const max = Math.min(limit, recordsMax);
  if (!at) return readList(call, { labelIds, at: await begin(call), max });
  return at.first ? readList(call, { labelIds, at, max }) : readHistory(call, labelIds, at);
}

/** Begins with the newest messages; what happens from now on is in the history. */
async function begin(call: Call): Promise<Cursor> {
  const historyId = HistoryId.safeParse(textIn((await profile(call)).body, 'historyId')).data;
  // Without the position, the next run could not tell new messages from old ones.
  if (historyId === undefined) throw new CallError('provider_unavailable');
  return { historyId, first: { label: 0, read: 0 } };
}

// https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile
function profile(call: Call): Promise<CallAnswer> {
  return request(call, '/profile');
}

/**
 * Reads the next page of the newest messages of the labels. A search by date would need a scope that covers bodies, and
 * several labels in one request would return messages that have all of them.
 * https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/list
 */
async function readList(
  call: Call,
  { labelIds, at, max }: { labelIds: readonly string[]; at: Cursor; max: number },
): Promise<SyncPage> {
  const { historyId, pageToken, first = { label: 0, read: 0 } } = at;
  const labelId = labelIds[first.label];
  // The settings have fewer labels than at the beginning of the run.
  if (labelId === undefined) return { records: [], cursor: { historyId }, isLast: true };
  const query = { labelIds: labelId, maxResults: String(max), fields: listFields };
  const body = await pageOf(call, '/messages', query, pageToken);
  const { messages, nextPageToken } = readBody(Listed, body);
  refuseRepeated(nextPageToken, pageToken);
  const records = await readMessages(call, messages.slice(0, max));
  const since = Date.now() - firstDays * 86_400_000;
  const recent = records.filter(({ fields }) => Date.parse(fields.receivedAt) >= since);
  const count = first.read + messages.length;
  const isLabelRead = !nextPageToken || recent.length < records.length || count >= firstMessagesMax;
  if (!isLabelRead)
    return {
      records: recent,
      cursor: { historyId, pageToken: nextPageToken, first: { ...first, read: count } },
      isLast: false,
    };
  const label = first.label + 1;
  const isLast = label >= labelIds.length;
  return { records: recent, cursor: isLast ? { historyId } : { historyId, first: { label, read: 0 } }, isLast };
}

/**
 * Reads the next page of the changes of the mailbox.
 * https://developers.google.com/workspace/gmail/api/guides/sync
 * https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.history/list
 */
async function readHistory(call: Call, labelIds: readonly string[], at: Cursor): Promise<SyncPage> {
  if (at.rest?.length) return pageFrom(call, at.rest, { ...at, rest: undefined });
  const { historyId, pageToken } = at;
  const query: Record<string, string> = {
    startHistoryId: historyId,
    historyTypes: 'messageAdded',
    maxResults: String(entriesMax),
    fields: historyFields,
    ...(labelIds.length === 1 && { labelId: labelIds[0] as string }),
  };
  const body = await pageOf(call, '/history', query, pageToken).catch((error: unknown) => {
    if (error instanceof CallError && error.failure === 'status_404')
      throw new CursorExpiredError('Google has no history from this position');
    throw error;
  });
  const { history, historyId: latest, nextPageToken } = readBody(History, body);
  refuseRepeated(nextPageToken, pageToken);
  const added = history.flatMap(({ messagesAdded }) => messagesAdded.map(({ message }) => message));
  const ids = added.filter(({ labelIds: has }) => !has || labelIds.some((id) => has.includes(id))).map(({ id }) => id);
  return pageFrom(call, [...new Set(ids)].slice(0, 1_000), {
    historyId,
    next: at.next ?? latest,
    pageToken: nextPageToken,
  });
}

/** Reads as many messages as a page of records can have; the others stay in the cursor. */
async function pageFrom(call: Call, ids: readonly string[], at: Cursor): Promise<SyncPage> {
  const records = await readMessages(
    call,
    ids.slice(0, recordsMax).map((id) => ({ id })),
  );
  const rest = ids.slice(recordsMax);
  const isLast = !rest.length && at.pageToken === undefined;
  const { historyId, next = historyId, pageToken } = at;
  if (isLast) return { records, cursor: { historyId: next }, isLast };
  return {
    records,
    cursor: { historyId, next, ...(pageToken && { pageToken }), ...(rest.length && { rest }) },
    isLast,
  };
}

const listFields = 'messages/id,nextPageToken';
const historyFields = 'history/messagesAdded/message(id,labelIds),historyId,nextPageToken';
const messageFields = 'id,threadId,labelIds,internalDate,payload/headers';

/** Reads messages, a few at once, without those that are gone. */
async function readMessages(call: Call, messages: readonly { id: string }[]): Promise<MailRecord[]> {
  const records: MailRecord[] = [];
  for (let from = 0; from < messages.length; from += atOnceMax) {
    const found = await Promise.all(messages.slice(from, from + atOnceMax).map(({ id }) => readMessage(call, id)));
    records.push(...found.filter((record) => record !== undefined));
  }
  return records;
}

// https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/get
async function readMessage(call: Call, id: string): Promise<MailRecord | undefined> {
  const query = new URLSearchParams({ format: 'metadata', fields: messageFields });
  for (const name of mailFields) query.append('metadataHeaders', name);
  const found = await request(call, `/messages/${id}?${query}`).catch((error: unknown) => {
    if (error instanceof CallError && error.failure === 'status_404') return undefined;
    throw error;
  });
  const { data: message } = Message.safeParse(found?.body);
  if (!message || message.labelIds?.some((label) => own.includes(label))) return undefined;
  const { internalDate, labelIds = [], threadId, payload } = message;
  return {
    kind: 'mail',
    id,
    version: String(internalDate),
    source: { id, threadId, labelIds },
    fields: { header: mailHeader(payload.headers), receivedAt: new Date(internalDate).toISOString() },
  };
}

/** Reads a page; from the first one if Google does not know the token any more. */
async function pageOf(call: Call, path: string, query: Record<string, string>, pageToken?: string): Promise<unknown> {
  const first = `${path}?${new URLSearchParams(query)}`;
  if (pageToken === undefined) return (await request(call, first)).body;
  const answer = await request(call, `${first}&${new URLSearchParams({ pageToken })}`).catch((error: unknown) => {
    if (error instanceof CallError && error.failure === 'status_400') return request(call, first);
    throw error;
  });
  return answer.body;
}

/** A page that leads to itself, or a first page to one that Google has just refused, would be read without end. */
function refuseRepeated(next: string | undefined, requested: string | undefined): void {
  if (next !== undefined && next === requested) throw new CallError('provider_unavailable');
}

const quotaReasons = ['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded'];
const ErrorBody = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string() })) }) });

/**
 * Calls the API. Google reports an exhausted quota as 403 too, not only as 429.
 * https://developers.google.com/workspace/gmail/api/guides/handle-errors
 */
function request(call: Call, path: string): Promise<CallAnswer> {
  return call({ url: base + path }).catch((error: unknown) => {
    if (!(error instanceof CallError) || error.failure !== 'status_403') throw error;
    const reasons = ErrorBody.safeParse(error.body).data?.error.errors ?? [];
    if (!reasons.some(({ reason }) => quotaReasons.includes(reason))) throw error;
    throw new CallError('provider_unavailable');
  });
}

function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { data } = schema.safeParse(body);
  if (data === undefined) throw new CallError('provider_unavailable');
  return data;
}
