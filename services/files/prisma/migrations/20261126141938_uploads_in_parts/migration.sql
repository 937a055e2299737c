-- AlterTable
ALTER TABLE "file" ADD COLUMN     "declared_checksum" TEXT,
ADD COLUMN     "quarantine_reason" TEXT,
ADD COLUMN     "upload_id" TEXT;

-- AlterTable
ALTER TABLE "file_version" ADD COLUMN     "quarantine_reason" TEXT;
