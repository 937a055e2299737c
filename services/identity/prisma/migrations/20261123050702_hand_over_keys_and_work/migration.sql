-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "owner_id" BIGINT;

-- AlterTable
ALTER TABLE "user" ADD COLUMN     "successor_id" BIGINT;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_owner_id_fkey" FOREIGN KEY ("tenant_id", "owner_id") REFERENCES "user"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
