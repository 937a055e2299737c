-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "billing_event_at" TIMESTAMPTZ(3),
ADD COLUMN     "billing_ref" TEXT,
ADD COLUMN     "billing_started_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "billing_event" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "billing_event_pkey" PRIMARY KEY ("tenant_id","event_id")
);

-- CreateIndex
CREATE INDEX "billing_event_received_at_idx" ON "billing_event"("received_at");

ALTER TABLE "billing_event" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "billing_event" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "billing_event" USING (tenant_id = platform.tenant_id());

-- The relay's role deletes the ids of events after 30 days, and sees no others.
GRANT SELECT ("received_at"), DELETE ON "billing_event" TO "tandem_identity_relay";
CREATE POLICY purge ON "billing_event" TO "tandem_identity_relay" USING ("received_at" < now() - interval '30 days');
