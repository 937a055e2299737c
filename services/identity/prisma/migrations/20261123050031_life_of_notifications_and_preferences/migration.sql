-- AlterTable
ALTER TABLE "notification" ADD COLUMN     "email_status" TEXT,
ADD COLUMN     "group_count" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "is_sandbox" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "is_silent" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "mail_at" TIMESTAMPTZ(3),
ADD COLUMN     "position" BIGINT,
ADD COLUMN     "pressed" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "purge_at" TIMESTAMPTZ(3),
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "notification_feed" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "user_id" BIGINT NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "notification_feed_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateTable
CREATE TABLE "user_preference" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "user_id" BIGINT NOT NULL,
    "timezone" TEXT,
    "locale" TEXT,
    "date_format" TEXT,
    "default_currency" TEXT,
    "signature" TEXT,
    "categories" JSONB NOT NULL DEFAULT '{}',
    "quiet_hours" JSONB,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_preference_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- AddForeignKey
ALTER TABLE "notification_feed" ADD CONSTRAINT "notification_feed_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_preference" ADD CONSTRAINT "user_preference_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "user"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "notification_feed" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "notification_feed" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "notification_feed" USING (tenant_id = platform.tenant_id());

ALTER TABLE "user_preference" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "user_preference" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "user_preference" USING (tenant_id = platform.tenant_id());

-- The relay's role deletes notifications when their time has come, and sees no others.
GRANT SELECT ("purge_at"), DELETE ON "notification" TO "tandem_identity_relay";
CREATE POLICY purge ON "notification" TO "tandem_identity_relay" USING ("purge_at" < now());
