import type { TestFleet, TestTenant } from '@tandem/test-fleet';

/** Uploads a file in a form with the live key of a tenant, and returns its id. */
export async function upload(
  fleet: TestFleet,
  tenant: TestTenant,
  { content, filename }: { content: string | Buffer; filename: string },
): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(Buffer.from(content))]), filename);
  const headers = { 'X-API-Key': tenant.live };
  const response = await fetch(`${fleet.baseUrl}/v1/files/upload`, { method: 'POST', headers, body });
  return ((await response.json()) as { data: { id: string } }).data.id;
}
