"""The names of Flink's own metrics as the newest release spells them; data for `vocabulary`.

Sources: Flink's documentation of metrics, the constants in Flink's and its connectors' sources, and the names that
clusters of 1.15, 1.18, 1.20, 2.0 and 2.3 exposed. A key is a group, and its text lists the names within it.
"""

from __future__ import annotations

PROCESS = {
    "Status.JVM.CPU": "Load Time",
    "Status.JVM.ClassLoader": "ClassesLoaded ClassesUnloaded",
    "Status.JVM.FileDescriptor": "Max Open",
    "Status.JVM.Memory.Heap": "Used Committed Max",
    "Status.JVM.Memory.NonHeap": "Used Committed Max",
    "Status.JVM.Memory.Metaspace": "Used Committed Max",
    "Status.JVM.Memory.Direct": "Count MemoryUsed TotalCapacity",
    "Status.JVM.Memory.Mapped": "Count MemoryUsed TotalCapacity",
    "Status.JVM.Threads": "Count",
    "System.CPU": "Usage Idle Sys User IOWait Irq SoftIrq Nice Steal Load1min Load5min Load15min",
    "System.Memory": "Available Total",
    "System.Swap": "Used Total",
}
"""The names of metrics that both JobManagers and TaskManagers report, by metric group."""

COLLECTORS = (
    "All", "G1 Young Generation", "G1 Old Generation", "G1 Concurrent GC", "Copy", "MarkSweepCompact", "PS Scavenge",
    "PS MarkSweep", "ParNew", "ConcurrentMarkSweep", "ZGC", "ZGC Cycles", "ZGC Pauses", "ZGC Major Cycles",
    "ZGC Major Pauses", "ZGC Minor Cycles", "ZGC Minor Pauses", "Shenandoah Cycles", "Shenandoah Pauses",
)  # fmt: skip
"""The names of the JVM's garbage collectors, each of which reports the `COLLECTOR_METRICS`."""
COLLECTOR_METRICS = "Count Time TimeMsPerSecond"

JOBMANAGER = {
    "": "numRegisteredTaskManagers numPendingTaskManagers numRunningJobs taskSlotsAvailable taskSlotsTotal",
}

JOB = {
    "": "numRestarts numRescales uptime downtime "
    "initializingTime createdTime runningTime restartingTime cancellingTime failingTime deployingTime "
    "initializingTimeTotal createdTimeTotal runningTimeTotal restartingTimeTotal cancellingTimeTotal "
    "failingTimeTotal deployingTimeTotal "
    "initializingState createdState runningState restartingState cancellingState failingState deployingState "
    "allSubTasksRunningOrFinishedTime allSubTasksRunningOrFinishedState allSubTasksRunningOrFinishedTimeTotal "
    "lastCheckpointDuration lastCheckpointSize lastCheckpointFullSize lastCheckpointProcessedData "
    "lastCheckpointPersistedData lastCheckpointMetadataSize lastCheckpointExternalPath "
    "lastCheckpointRestoreTimestamp lastCheckpointCompletedTimestamp lastCompletedCheckpointId "
    "lastCheckpointAlignmentBuffered "
    "totalNumberOfCheckpoints numberOfInProgressCheckpoints numberOfCompletedCheckpoints numberOfFailedCheckpoints "
    "checkpointFinalizationTime numSlowExecutionVertices numEffectiveSpeculativeExecutions",
}
"""The names of a job's metrics, by group; ``checkpointFinalizationTime`` (ms) is only in the JobManager's log."""

TASKMANAGER = {
    "": "rpcMessageSize",
    "Status.Flink.Memory.Managed": "Used Total",
    "Status.Shuffle.Netty": "AvailableMemorySegments UsedMemorySegments TotalMemorySegments AvailableMemory UsedMemory "
    "TotalMemory RequestedMemoryUsage",
    "fileMerging": "logicalFileCount logicalFileSize physicalFileCount physicalFileSize",
}
"""The names of a TaskManager's metrics, by metric group; ``rpcMessageSize`` (bytes) is only in the log."""

TASK = {
    "": "busyTimeMsPerSecond idleTimeMsPerSecond backPressuredTimeMsPerSecond softBackPressuredTimeMsPerSecond "
    "hardBackPressuredTimeMsPerSecond maxSoftBackPressureTimeMs maxHardBackPressureTimeMs isBackPressured "
    "accumulateBusyTimeMs accumulateIdleTimeMs accumulateBackPressuredTimeMs changelogBusyTimeMsPerSecond "
    "checkpointAlignmentTime checkpointStartDelayNanos initializationTime mailboxMailsPerSecond mailboxLatencyMs "
    "mailboxQueueSize numFiredTimers numFiredTimersPerSecond estimatedTimeToConsumeBuffersMs debloatedBufferSize "
    "numBuffersOut numBuffersOutPerSecond numBytesInLocal numBytesInLocalPerSecond numBytesInRemote "
    "numBytesInRemotePerSecond numBuffersInLocal numBuffersInLocalPerSecond numBuffersInRemote "
    "numBuffersInRemotePerSecond",
    "Shuffle.Netty.Input": "numBytesInLocal numBytesInLocalPerSecond numBytesInRemote numBytesInRemotePerSecond "
    "numBuffersInLocal numBuffersInLocalPerSecond numBuffersInRemote numBuffersInRemotePerSecond",
    "Shuffle.Netty.Input.Buffers": "inPoolUsage inputExclusiveBuffersUsage inputFloatingBuffersUsage inputQueueLength "
    "inputQueueSize",
    "Shuffle.Netty.Output.Buffers": "outPoolUsage outputQueueLength outputQueueSize",
    "Shuffle.Netty.Input.gate": "totalQueueLen minQueueLen maxQueueLen avgQueueLen",
    "Shuffle.Netty.Output.partition": "totalQueueLen minQueueLen maxQueueLen avgQueueLen",
}

TASK_AND_OPERATOR = {
    "": "numRecordsIn numRecordsInPerSecond numRecordsOut numRecordsOutPerSecond numBytesIn numBytesInPerSecond "
    "numBytesOut numBytesOutPerSecond currentInputWatermark",
}
"""The names of metrics that a task and each of its operators report with different values, by metric group."""

OPERATOR = {
    "": "currentOutputWatermark currentInput1Watermark currentInput2Watermark watermarkAlignmentDrift "
    "numSplitsProcessed numLateRecordsDropped lateRecordsDroppedRate watermarkLatency "
    "pendingRecords pendingBytes numRecordsInErrors currentFetchEventTimeLag currentEmitEventTimeLag watermarkLag "
    "sourceIdleTime lastFetchTime isIdle "
    "numRecordsSend numRecordsSendErrors numBytesSend currentSendTime CurrentSendTime curCommitLag "
    "successfulCommits failedCommits alreadyCommittedCommits pendingCommittables totalCommittables retriedCommits "
    "millisBehindLatest sleepTimeMillis maxNumberOfRecordsPerFetch numberOfAggregatedRecordsPerFetch "
    "numberOfDeaggregatedRecordsPerFetch averageRecordSizeBytes runLoopTimeNanos loopFrequencyHz "
    "bytesRequestedPerFetch "
    "currentOffset committedOffset lookupCacheHitRate latency "
    "startedMaterialization completedMaterialization failedMaterialization lastDurationOfMaterialization "
    "lastFullSizeOfMaterialization lastIncSizeOfMaterialization lastFullSizeOfNonMaterialization "
    "lastIncSizeOfNonMaterialization",
    "watermark": "currentWatermark activeTimeMsPerSecond pausedTimeMsPerSecond idleTimeMsPerSecond "
    "accumulatedActiveTimeMs accumulatedPausedTimeMs accumulatedIdleTimeMs",
    "coordinator.enumerator": "unassignedSplits",
    "KafkaSourceReader": "commitsSucceeded commitsFailed",
    "KafkaSourceReader.KafkaConsumer": "records-lag records-lag-max records-lag-avg records-lead-min "
    "records-consumed-rate records-consumed-total records-per-request-avg bytes-consumed-rate bytes-consumed-total "
    "fetch-rate fetch-total fetch-latency-avg fetch-latency-max fetch-size-avg fetch-size-max "
    "fetch-throttle-time-avg fetch-throttle-time-max commit-latency-avg commit-latency-max commit-rate "
    "assigned-partitions connection-count request-rate response-rate incoming-byte-rate outgoing-byte-rate "
    "poll-idle-ratio-avg time-between-poll-avg time-between-poll-max last-poll-seconds-ago",
    "KafkaProducer": "record-send-rate record-send-total record-error-rate record-error-total record-retry-rate "
    "record-retry-total record-queue-time-avg record-queue-time-max record-size-avg record-size-max "
    "records-per-request-avg batch-size-avg batch-size-max batch-split-rate buffer-available-bytes "
    "buffer-total-bytes buffer-exhausted-rate bufferpool-wait-ratio byte-rate byte-total compression-rate-avg "
    "request-rate response-rate request-latency-avg request-latency-max requests-in-flight produce-throttle-time-avg "
    "produce-throttle-time-max outgoing-byte-rate incoming-byte-rate connection-count "
    "txn-init-time-ns-total txn-begin-time-ns-total txn-send-offsets-time-ns-total txn-commit-time-ns-total "
    "txn-abort-time-ns-total",
    "forst.fileCache": "hit miss usedBytes remainingBytes",
}

ROCKSDB = (
    "actual-delayed-write-rate background-errors block-cache-capacity block-cache-hit block-cache-miss "
    "block-cache-pinned-usage block-cache-usage bloom-filter-full-positive bloom-filter-full-true-positive "
    "bloom-filter-useful bytes-read bytes-written compaction-pending compaction-read-bytes compaction-write-bytes "
    "cur-size-active-mem-table cur-size-all-mem-tables estimate-live-data-size estimate-num-keys "
    "estimate-pending-compaction-bytes estimate-table-readers-mem is-write-stopped iter-bytes-read "
    "live-sst-files-size mem-table-flush-pending num-deletes-active-mem-table num-deletes-imm-mem-tables "
    "num-entries-active-mem-table num-entries-imm-mem-tables num-files-at-level0 num-files-at-level1 "
    "num-files-at-level2 num-files-at-level3 num-files-at-level4 num-files-at-level5 num-files-at-level6 "
    "num-immutable-mem-table num-live-versions num-running-compactions num-running-flushes num-snapshots "
    "size-all-mem-tables stall-micros total-sst-files-size"
)
"""The names of RocksDB's statistics and of its properties (reported per state), without the ``rocksdb`` prefix."""

HISTOGRAMS = (
    "mailboxLatencyMs latency attemptsPerUpload totalAttemptsPerUpload uploadBatchSizes uploadLatenciesNanos "
    "uploadSizes stateClearLatency valueStateGetLatency valueStateUpdateLatency listStateGetLatency "
    "listStateAddLatency listStateAddAllLatency listStateUpdateLatency listStateMergeNamespacesLatency "
    "mapStateGetLatency mapStatePutLatency mapStatePutAllLatency mapStateRemoveLatency mapStateContainsLatency "
    "mapStateEntriesInitLatency mapStateKeysInitLatency mapStateValuesInitLatency mapStateIteratorInitLatency "
    "mapStateIsEmptyLatency mapStateIteratorHasNextLatency mapStateIteratorNextLatency mapStateIteratorRemoveLatency "
    "aggregatingStateGetLatency aggregatingStateAddLatency aggregatingStateMergeNamespacesLatency "
    "reducingStateGetLatency reducingStateAddLatency reducingStateMergeNamespacesLatency"
)
CHANGELOG_UPLOAD = (
    "numberOfUploadRequests numberOfUploadFailures attemptsPerUpload totalAttemptsPerUpload uploadBatchSizes "
    "uploadLatenciesNanos uploadSizes uploadQueueSize"
)
"""The names of the metrics of changelog uploads, which a TaskManager reports for each job."""

COUNTERS = (
    "numRestarts numRescales totalNumberOfCheckpoints numberOfCompletedCheckpoints numberOfFailedCheckpoints "
    "initializingTimeTotal createdTimeTotal runningTimeTotal restartingTimeTotal cancellingTimeTotal "
    "failingTimeTotal deployingTimeTotal allSubTasksRunningOrFinishedTimeTotal numEffectiveSpeculativeExecutions "
    "Status.JVM.CPU.Time Status.JVM.ClassLoader.ClassesLoaded Status.JVM.ClassLoader.ClassesUnloaded "
    "accumulateBusyTimeMs accumulateIdleTimeMs accumulateBackPressuredTimeMs numFiredTimers numBuffersOut "
    "numBytesInLocal numBytesInRemote numBuffersInLocal numBuffersInRemote Shuffle.Netty.Input.numBytesInLocal "
    "Shuffle.Netty.Input.numBytesInRemote Shuffle.Netty.Input.numBuffersInLocal "
    "Shuffle.Netty.Input.numBuffersInRemote numRecordsIn numRecordsOut numBytesIn numBytesOut "
    "numLateRecordsDropped numRecordsInErrors numRecordsSend numRecordsSendErrors numBytesSend numSplitsProcessed "
    "successfulCommits failedCommits alreadyCommittedCommits totalCommittables retriedCommits "
    "KafkaSourceReader.commitsSucceeded KafkaSourceReader.commitsFailed "
    "KafkaSourceReader.KafkaConsumer.records-consumed-total KafkaSourceReader.KafkaConsumer.bytes-consumed-total "
    "KafkaSourceReader.KafkaConsumer.fetch-total KafkaProducer.record-send-total KafkaProducer.record-error-total "
    "KafkaProducer.record-retry-total KafkaProducer.byte-total KafkaProducer.txn-commit-time-ns-total "
    "KafkaProducer.txn-begin-time-ns-total KafkaProducer.txn-abort-time-ns-total "
    "KafkaProducer.txn-init-time-ns-total KafkaProducer.txn-send-offsets-time-ns-total "
    "watermark.accumulatedActiveTimeMs watermark.accumulatedPausedTimeMs watermark.accumulatedIdleTimeMs "
    "startedMaterialization completedMaterialization failedMaterialization numberOfUploadRequests "
    "numberOfUploadFailures forst.fileCache.hit forst.fileCache.miss rocksdb.block-cache-hit "
    "rocksdb.block-cache-miss rocksdb.bloom-filter-full-positive rocksdb.bloom-filter-full-true-positive "
    "rocksdb.bloom-filter-useful rocksdb.bytes-read rocksdb.bytes-written rocksdb.compaction-read-bytes "
    "rocksdb.compaction-write-bytes rocksdb.iter-bytes-read rocksdb.stall-micros"
)
"""The names of metrics that only grow until their process or task restarts, except those of garbage collectors."""

OLDER = {
    "fullRestarts": "numRestarts",
    "Status.Network.TotalMemorySegments": "Status.Shuffle.Netty.TotalMemorySegments",
    "Status.Network.AvailableMemorySegments": "Status.Shuffle.Netty.AvailableMemorySegments",
    "buffers.inPoolUsage": "Shuffle.Netty.Input.Buffers.inPoolUsage",
    "buffers.inputExclusiveBuffersUsage": "Shuffle.Netty.Input.Buffers.inputExclusiveBuffersUsage",
    "buffers.inputFloatingBuffersUsage": "Shuffle.Netty.Input.Buffers.inputFloatingBuffersUsage",
    "buffers.inputQueueLength": "Shuffle.Netty.Input.Buffers.inputQueueLength",
    "buffers.inputQueueSize": "Shuffle.Netty.Input.Buffers.inputQueueSize",
    "buffers.outPoolUsage": "Shuffle.Netty.Output.Buffers.outPoolUsage",
    "buffers.outputQueueLength": "Shuffle.Netty.Output.Buffers.outputQueueLength",
    "buffers.outputQueueSize": "Shuffle.Netty.Output.Buffers.outputQueueSize",
    "Network.Input.gate.totalQueueLen": "Shuffle.Netty.Input.gate.totalQueueLen",
    "Network.Input.gate.minQueueLen": "Shuffle.Netty.Input.gate.minQueueLen",
    "Network.Input.gate.maxQueueLen": "Shuffle.Netty.Input.gate.maxQueueLen",
    "Network.Input.gate.avgQueueLen": "Shuffle.Netty.Input.gate.avgQueueLen",
    "Network.Output.partition.totalQueueLen": "Shuffle.Netty.Output.partition.totalQueueLen",
    "Network.Output.partition.minQueueLen": "Shuffle.Netty.Output.partition.minQueueLen",
    "Network.Output.partition.maxQueueLen": "Shuffle.Netty.Output.partition.maxQueueLen",
    "Network.Output.partition.avgQueueLen": "Shuffle.Netty.Output.partition.avgQueueLen",
    "maxSoftBackPressuredTimeMs": "maxSoftBackPressureTimeMs",
    "maxHardBackPressuredTimeMs": "maxHardBackPressureTimeMs",
    "currentLowWatermark": "currentInputWatermark",
    "numRecordsOutErrors": "numRecordsSendErrors",
    "numberOfDeggregatedRecordsPerFetch": "numberOfDeaggregatedRecordsPerFetch",
    "currentOffsets": "currentOffset",
    "committedOffsets": "committedOffset",
}
"""The current names of renamed metrics, by the name in older releases (or only in the documentation)."""

WORDS = "lastCheckpointExternalPath"
"""The names of metrics whose values are strings, for which numeric reporters report 0.0."""

MINUS_ONE = (
    "lastCheckpointDuration lastCheckpointSize lastCheckpointFullSize lastCheckpointProcessedData "
    "lastCheckpointPersistedData lastCheckpointMetadataSize lastCheckpointRestoreTimestamp "
    "lastCheckpointCompletedTimestamp lastCompletedCheckpointId lastCheckpointAlignmentBuffered "
    "uptime downtime "
    "Status.JVM.CPU.Load Status.JVM.CPU.Time Status.JVM.Memory.Heap.Max Status.JVM.Memory.NonHeap.Max "
    "Status.JVM.Memory.Metaspace.Max millisBehindLatest currentOffset committedOffset currentFetchEventTimeLag "
    "currentEmitEventTimeLag lastFetchTime numberOfAggregatedRecordsPerFetch numberOfDeaggregatedRecordsPerFetch"
)
"""The names of metrics whose value -1 means "not known" or "not yet"."""

WATERMARKS = (
    "currentInputWatermark currentInput1Watermark currentInput2Watermark currentOutputWatermark "
    "watermark.currentWatermark"
)
"""The names of metrics whose smallest and largest 64-bit values mean "none yet" and "no more to come"."""
