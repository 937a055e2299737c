import { Environment, id, listQuery, operations, page, secret, text, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';

/** Days that API calls are kept. */
export const apiLogDays = 30;

export const ApiLogDirection = z
  .enum(['inbound', 'outbound'])
  .describe('`inbound` for a request to the API, `outbound` for a request that the platform sent for the tenant');

export const ApiLog = z.object({
  id: id('api_log'),
  requestId: z.string().meta({
    description:
      'The id of the request, as in `X-Request-Id`. Outbound calls have the id of the request that caused them.',
    examples: ['req_5c12b0f46ee6b3411d97f84a'],
  }),
  direction: ApiLogDirection,
  environment: Environment,
  method: z.string().meta({ description: 'The HTTP method', examples: ['POST'] }),
  host: z
    .string()
    .nullable()
    .meta({ description: 'The called host, of an outbound call', examples: [null] }),
  path: z.string().meta({ description: 'The path, with secrets replaced by `***`', examples: ['/v1/leads'] }),
  query: z
    .string()
    .nullable()
    .meta({ description: 'The parameters of the operation in the query, at most 1 KiB', examples: [null] }),
  route: z
    .string()
    .nullable()
    .meta({
      description: 'The path of the operation, of an inbound call',
      examples: ['/v1/leads'],
    }),
  status: z.int().meta({ description: 'The HTTP status; 0 if an outbound call got no response', examples: [201] }),
  errorCode: z
    .string()
    .nullable()
    .meta({ description: 'The code of the error response', examples: [null] }),
  durationMs: z.int().meta({ description: 'The duration in milliseconds', examples: [23] }),
  ip: z
    .string()
    .nullable()
    .meta({ description: 'The address of the client', examples: ['203.0.113.7'] }),
  keyId: id('api_key').nullable().describe('The API key; null for signed-in people'),
  actingUserId: id('user').nullable().describe('The user for whom the call was made, or the owner of the API key'),
  requestBytes: z
    .int()
    .nullable()
    .meta({ description: 'The size of the request body', examples: [61] }),
  responseBytes: z
    .int()
    .nullable()
    .meta({ description: 'The size of the response body', examples: [912] }),
  createdAt: timestamp().describe('When the request arrived'),
});

const redaction = 'Values of secret fields are replaced by `[redacted]`. Null if the body is not JSON.';

export const ApiLogDetail = ApiLog.extend({
  // The log does not contain itself.
  requestBody: secret(
    z
      .string()
      .nullable()
      .meta({
        description: `The first 8 KiB of the request body. ${redaction}`,
        examples: ['{"email":"ada@example.com"}'],
      }),
  ),
  responseBody: secret(
    z
      .string()
      .nullable()
      .meta({ description: `The first 8 KiB of the response body. ${redaction}`, examples: ['{"success":true}'] }),
  ),
});

const Status = z
  .string()
  .regex(/^[0-5](\d\d|xx)$/, { error: 'Must be a status such as 404, or a class such as 4xx' })
  .meta({ description: 'Return only calls with this status, or of this class of statuses', examples: ['4xx'] });

export const apiLogs = operations({
  listApiLogs: {
    method: 'GET',
    path: '/v1/integrations/api-logs',
    permission: 'api_logs:read',
    summary: 'List API calls',
    description: `Returns the calls of the last ${apiLogDays} days without their bodies: requests to the API with credentials of the tenant, also those that were refused, and test requests to webhooks, with the direction outbound. A call appears a few seconds after it ended. Under overload calls can be missing.`,
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        requestId: text(64)
          .meta({ description: 'Return only calls with this request id', examples: ['req_5c12b0f46ee6b3411d97f84a'] })
          .optional(),
        direction: ApiLogDirection.optional(),
        keyId: id('api_key').describe('Return only calls with this API key').optional(),
        actingUserId: id('user').describe('Return only calls for this user').optional(),
        method: z
          .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], {
            error: 'Must be one of GET, HEAD, POST, PUT, PATCH, DELETE',
          })
          .describe('Return only calls with this method')
          .optional(),
        path: text(200)
          .meta({
            description: 'Return only calls of this path, or of this operation (`/v1/leads/:id`)',
            examples: ['/v1/leads'],
          })
          .optional(),
        status: Status.optional(),
        minDurationMs: wholeNumber(0, 3_600_000)
          .meta({ description: 'Return only calls that took at least this long, in milliseconds', examples: [1000] })
          .optional(),
        from: timestamp().describe('Return only calls that arrived at this time or later').optional(),
        to: timestamp().describe('Return only calls that arrived at this time or earlier').optional(),
      }),
    reply: page(ApiLog),
    message: 'API calls retrieved',
  },
  getApiLog: {
    method: 'GET',
    path: '/v1/integrations/api-logs/:requestId',
    permission: 'api_logs:read',
    summary: 'Retrieve an API call with its bodies',
    description:
      'Finds the call by the `X-Request-Id` of its response. If a client used an id several times, the newest call is returned; an inbound one before outbound ones.',
    params: z.object({
      requestId: text(64).meta({
        description: 'The id of the request, as in `X-Request-Id`',
        examples: ['req_5c12b0f46ee6b3411d97f84a'],
      }),
    }),
    query: z.object({ direction: ApiLogDirection.optional() }),
    reply: ApiLogDetail,
    message: 'API call retrieved',
  },
});
